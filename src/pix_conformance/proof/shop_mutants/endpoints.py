"""Shops with a wrong webhook endpoint: what they credit and answer."""

from pix_conformance.proof.shop_mutants.changes import CREDIT, IF_PAID, IS_PAID, wrong
from pix_conformance.proof.shop_variants import WALLET, WALLET_ROW

ADD = "UPDATE orders SET credited = credited + cents, state = 'paid' WHERE id = ?"
CREDIT_UNLESS_PAID = CREDIT.replace("SET credited = cents", "SET credited = credited + cents").replace(
    "credited = 0", "state != 'paid'"
)
CREDIT_OF_PAYMENTS = '        if row and header is not None:\n            self.credit(row["id"])\n'
IF_NOT_PAID = 'if event["event"] != "transaction_paid":\n            return 204'
CREDIT_UNLESS_NULL = CREDIT_UNLESS_PAID.replace("state != 'paid'", "state IS NOT 'paid'")
READS_ALL = (
    "        with closing(sqlite3.connect(self.database.path)) as connection:\n"
    "            rows = connection.execute('SELECT id, credited FROM orders').fetchall()\n"
)
WRITES_ALL = (
    "with closing(sqlite3.connect(self.database.path)) as connection:\n"
    "            rows = dict(connection.execute('SELECT id, credited FROM orders').fetchall())\n"
    "        time.sleep(0.05)\n"
    "        rows[order] = self.database.row('SELECT cents FROM orders WHERE id = ?', order)['cents']\n"
    "        for number, cents in rows.items():\n"
    "            self.database.do('UPDATE orders SET credited = ? WHERE id = ?', cents, number)"
)
HOOK_ANSWER = (
    "            status = await run_in_threadpool(receive, await request.body(), request.headers.get(name))\n"
    "            return Response(status_code=status)\n"
)
CREDITS_IT = "            self.credit(order)\n"
SEEN = (
    "self.service, self.database = service, database",
    "self.service, self.database, self.seen = service, database, []",
)
NOTES_IDS = '        if json.loads(body)["id"] in self.seen:\n            return 204\n        self.seen.append(json.loads(body)["id"])\n'
FIRST_OF_BUSINESS = "        if not is_signed(header, body, self.service.variables["
FIRST_OF_PAYMENTS = "        if header is not None and not is_signed("


def _credits_again_unless(condition: str) -> str:
    return f'        if event["type"] == "business.pix.paid"{condition}:\n            self.database.do("{ADD}", event["data"]["external_ref"])\n'


CREDITS = {
    "BUS-HOOK-03/never-credits": wrong("No event credits anything.", CREDIT, "pass").also("PAY-HOOK-03"),
    "BUS-HOOK-03/keeps-a-cent": wrong(
        "A cent of each payment is kept.", "SET credited = cents,", "SET credited = cents - 1,").also("PAY-HOOK-03"),
    "BUS-HOOK-03/writes-all-orders": wrong(
        "A credit writes all orders, as they were read 50 ms before.", CREDIT, WRITES_ALL).also("PAY-HOOK-03"),
    "BUS-HOOK-03/order-writes-all-orders": wrong(
        "A new order writes all orders, as they were read before its charge was asked for.",
        '        if api == "business":\n            body: dict', READS_ALL + '        if api == "business":\n            body: dict',
        '        self.database.do("UPDATE orders SET charge = ?', "        for number, credited in rows:\n"
        "            self.database.do('UPDATE orders SET credited = ? WHERE id = ?', credited, number)\n"
        '        self.database.do("UPDATE orders SET charge = ?').also("PAY-HOOK-03"),
    "BUS-HOOK-03/cancel-writes-what-it-read": wrong(
        "A cancel writes the whole order, as it was read before, as an object that is saved does.",
        "        return self.look_after(order)\n\n    def look_after",
        "        self.database.do('UPDATE orders SET credited = ?, state = ? WHERE id = ?', row['credited'], row['state'], order)\n"
        "        return str(row['state'])\n\n    def look_after"),
    "BUS-HOOK-03/shared-header": wrong(
        "The signature header stands in a variable that all requests share, until the body has come.", HOOK_ANSWER,
        "            app.header = request.headers.get(name)\n"
        "            return Response(status_code=await run_in_threadpool(receive, await request.body(), app.header))\n").also("PAY-HOOK-03"),
    "BUS-HOOK-03/stops-at-a-bare-event": wrong(
        "An event without an object stops the endpoint: it answers, and credits nothing any more.", IF_PAID,
        '        self.stopped = getattr(self, "stopped", False) or "data" not in event\n        if self.stopped:\n            return 204\n' + IF_PAID,
        '        if event["event"] != "transaction_paid":\n',
        '        self.stopped = getattr(self, "stopped", False) or not {"transaction", "transfer"} & set(event)\n        if self.stopped:\n            return 204\n'
        '        if event["event"] != "transaction_paid":\n').also("PAY-HOOK-03"),
    "BUS-HOOK-32/handled-later-in-memory": wrong(
        "An event is answered, and handled a second later by a thread that ends with the process.", HOOK_ANSWER,
        "            event = (await request.body(), request.headers.get(name))\n"
        "            threading.Thread(target=lambda: (time.sleep(1), receive(*event)), daemon=True).start()\n"
        "            return Response(status_code=204)\n").also("PAY-HOOK-35"),
    "PAY-HOOK-36/pays-out-again": wrong(
        "Each event that a transfer was canceled sends another one.", '        if event["event"] != "transaction_paid":\n',
        '        if event["event"] == "transfer_canceled":\n'
        '            self.transfer(self.service.variables["PIX_TRANSFER_KEY"], event["transfer"]["amount"])\n'
        '        if event["event"] != "transaction_paid":\n'),
    "PAY-HOOK-30/amount-of-the-forgery": wrong(
        "An unsigned event is confirmed by a query, and its own amount credited.",
        '            self.look_after(row["id"])  # anyone may have sent it\n',
        '            if self.look_after(row["id"]) == "paid":\n'
        '                self.database.do("UPDATE orders SET credited = ? WHERE id = ?", event["transaction"]["amount"], row["id"])\n'),
    "BUS-HOOK-03/shared-order": wrong(
        "The order that is credited stands in a variable that all threads share.", CREDIT,
        "self.order_of_event = order\n        time.sleep(0.05)\n        " + CREDIT.replace(", order)", ", self.order_of_event)")).also("PAY-HOOK-03"),
    "BUS-HOOK-03/drops-beside-another": wrong(
        "An event that comes while another one is handled is answered and dropped.", CREDIT,
        "if not self.busy.acquire(blocking=False):\n            return\n        time.sleep(0.05)\n        " + CREDIT + "\n        self.busy.release()",
        "self.service, self.database = service, database",
        "self.service, self.database, self.busy = service, database, threading.Lock()").also("PAY-HOOK-03"),
    "BUS-HOOK-03/compares-upper-case": wrong(
        "The right hash is written in upper case.", "v1.lower().encode(), right.encode()",
        "v1.lower().encode(), right.upper().encode()").also("BUS-HOOK-01", "PAY-HOOK-01", "PAY-HOOK-03"),
    "BUS-HOOK-03/float": wrong(
        "The amount is a float of reais, and then cut to cents.", "SET credited = cents,",
        "SET credited = CAST(cents / 100.0 * 100 AS INT),").also("PAY-HOOK-03"),
    "BUS-HOOK-04/by-the-beginning": wrong(
        "An event credits each order with whose reference its own begins.", 'f"order-{uuid.uuid4().hex[:12]}"', 'f"order-{next(NUMBERS) * chr(49)}"',
        "def is_signed(", "import itertools\nNUMBERS = itertools.count(1)\n\n\ndef is_signed(",
        CREDIT, CREDIT.replace("id = ? AND", "? LIKE id || '%' AND")),
    "BUS-HOOK-04/credits-created": wrong(
        "business.pix.created credits the order.",
        'event["type"] == "business.pix.paid"', 'event["type"] in ("business.pix.created", "business.pix.paid")'),
    "BUS-HOOK-05/credits-canceled": wrong(
        "business.pix.canceled credits the order.",
        'event["type"] == "business.pix.paid"', 'event["type"] in ("business.pix.canceled", "business.pix.paid")'),
    "BUS-HOOK-06/adds-each-time": wrong(
        "Each event adds its amount.", CREDIT, f'self.database.do("{ADD}", order)',
        ).also("BUS-HOOK-07", "BUS-HOOK-08", "BUS-HOOK-25", "PAY-HOOK-09", "PAY-HOOK-10", "PAY-HOOK-11", "PAY-HOOK-25"),
    "BUS-HOOK-08/not-twice-in-a-row": wrong(
        "Only the event before is known.", *SEEN, IF_PAID,
        _credits_again_unless(' and last != [event["id"]]').replace(
            "        if", '        last, self.seen = self.seen, [event["id"]]\n        if', 1)).also("BUS-HOOK-25"),
    "PAY-HOOK-03/forgets-charges-of-unpaid-orders": wrong(
        "The charges of unpaid orders are forgotten when it is started again.", "    shop.payments_secret()\n",
        "    shop.payments_secret()\n    shop.database.do('UPDATE orders SET charge = NULL WHERE credited = 0')\n"),
    "BUS-HOOK-33/read-then-written": wrong(
        "The wallet is read, and written back with the credit.", WALLET, WALLET_ROW,
        CREDIT, f"if {CREDIT}:\n            cents = self.wallet() + self.credited(order)\n            time.sleep(0.02)\n"
        "            self.database.do(\"INSERT OR REPLACE INTO settings VALUES ('wallet', ?)\", cents)"),
    "BUS-HOOK-07/asks-then-credits": wrong(
        "It asks whether the order is credited, and then credits it, in two transactions.", CREDIT,
        'if not self.database.row("SELECT credited FROM orders WHERE id = ?", order)["credited"]:\n'
        f'            time.sleep(0.1)\n            self.database.do("{ADD}", order)').also("PAY-HOOK-10"),
    "BUS-HOOK-07/list-in-memory": wrong(
        "What is credited is noted in a list, after it was credited.", *SEEN, CREDIT,
        f'if order not in self.seen:\n            self.database.do("{ADD}", order)\n            time.sleep(0.1)\n'
        "            self.seen.append(order)").also("PAY-HOOK-10"),
    "BUS-HOOK-08/by-event-id": wrong(
        "Events are told apart by their id alone.", *SEEN, IF_PAID,
        _credits_again_unless(' and event["id"] not in self.seen') + '            self.seen.append(event["id"])\n'),
    "BUS-HOOK-08/by-body": wrong(
        "Events are told apart by their body.", *SEEN, IF_PAID,
        _credits_again_unless(" and body not in self.seen") + "            self.seen.append(body)\n"),
    "BUS-HOOK-09/notes-what-it-answered": wrong(
        "An event is known once its answer has left.", *SEEN,
        "status = await run_in_threadpool(receive, await request.body(), request.headers.get(name))",
        "status = await noted(request, receive, await request.body(), request.headers.get(name))",
        "def app(shop: Shop) -> Starlette:",
        "async def noted(request, receive, body, header):\n"
        "    status = await run_in_threadpool(receive, body, header)\n"
        "    import asyncio\n"
        "    await asyncio.sleep(0.05)\n"
        "    if not await request.is_disconnected():\n"
        "        SEEN.append(body)\n"
        "    return status\n\n\n"
        "SEEN = []\n\n\n"
        "def app(shop: Shop) -> Starlette:",
        IF_PAID, _credits_again_unless(" and body not in SEEN"),
        CREDIT_OF_PAYMENTS, CREDIT_OF_PAYMENTS.replace(
            'self.credit(row["id"])', f'body in SEEN or self.database.do("{ADD}", row["id"])')).also("PAY-HOOK-12"),
    "BUS-HOOK-10/creation-begins-again": wrong(
        "business.pix.created sets the order back.", IF_PAID,
        f'{IF_PAID}        elif event["type"] == "business.pix.created":\n'
        '            self.database.do("UPDATE orders SET credited = 0 WHERE id = ?", event["data"]["external_ref"])\n'),
    "BUS-HOOK-23/by-amount": wrong(
        "An amount is credited once.", CREDIT,
        CREDIT.replace("credited = 0", "cents NOT IN (SELECT credited FROM orders)")).also("PAY-HOOK-23"),
    "BUS-HOOK-23/newest-of-the-amount": wrong(
        "An event of an unknown order credits the newest order of its amount.", 'self.credit(event["data"]["external_ref"])',
        'order = event["data"]["external_ref"]\n            row = self.database.row("SELECT id FROM orders WHERE id = ?", order) or '
        'self.database.row("SELECT id FROM orders WHERE cents = ? AND credited = 0 AND api = \'business\' ORDER BY rowid DESC", '
        'event["data"]["amount_cents"])\n            if row:\n                self.credit(row["id"])'),
    "BUS-HOOK-23/oldest-of-the-amount": wrong(
        "An event credits the oldest order of its amount.", 'self.credit(event["data"]["external_ref"])',
        'if row := self.database.row("SELECT id FROM orders WHERE cents = ? AND credited = 0 AND api = \'business\' ORDER BY rowid", '
        'event["data"]["amount_cents"]):\n                self.credit(row["id"])'),
    "BUS-HOOK-27/forgets": wrong(
        "Only the five latest payments are known.", *SEEN, CREDIT,
        f'if order not in self.seen[-5:]:\n            self.seen.append(order)\n            self.database.do("{ADD}", order)').also("PAY-HOOK-29"),
    "BUS-HOOK-28/forged-cancellation": wrong(
        "business.pix.canceled is believed before its signature is verified.", FIRST_OF_BUSINESS,
        '        if json.loads(body)["type"] == "business.pix.canceled":\n            self.database.do('
        '"UPDATE orders SET state = \'canceled\' WHERE id = ?", json.loads(body)["data"]["external_ref"])\n' + FIRST_OF_BUSINESS,
        CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state != 'canceled'")),
    "BUS-HOOK-28/notes-forged-ids": wrong(
        "The id of an event is known before its signature is verified.", *SEEN,
        FIRST_OF_BUSINESS, NOTES_IDS + FIRST_OF_BUSINESS, FIRST_OF_PAYMENTS, NOTES_IDS + FIRST_OF_PAYMENTS).also("PAY-HOOK-30"),
    "PAY-HOOK-30/forged-refund": wrong(
        "transaction_refunded is believed before its signature is verified.", FIRST_OF_PAYMENTS,
        '        if json.loads(body)["event"] == "transaction_refunded":\n            self.database.do('
        '"UPDATE orders SET state = \'refunded\' WHERE charge = ?", json.loads(body)["transaction"]["id"])\n' + FIRST_OF_PAYMENTS,
        CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state != 'refunded'")),
    "BUS-HOOK-26/notes-what-failed": wrong(
        "The id of an event is known, also if its work failed, so that its repetition is ignored.", *SEEN, IF_PAID,
        NOTES_IDS + IF_PAID.replace("self.credit(", "self.look_after("), "OLDEST_S = 3,", "OLDEST_S = 1,"),
    "PAY-HOOK-28/notes-what-it-tries-three-times": wrong(
        "The id of an event is known before the service was asked, three times, so that its repetition is ignored.", *SEEN,
        IF_NOT_PAID + "\n        row", f"{IF_NOT_PAID}\n" + NOTES_IDS + "        row", CREDIT_OF_PAYMENTS, CREDIT_OF_PAYMENTS.replace("self.credit(", "self.look_after(")),
    "BUS-HOOK-25/creation-opens-again": wrong(
        "A late business.pix.created makes the order one that can be credited.", CREDIT, CREDIT_UNLESS_PAID,
        IF_PAID, f'{IF_PAID}        elif event["type"] == "business.pix.created":\n'
        '            self.database.do("UPDATE orders SET state = \'pending\' WHERE id = ?", event["data"]["external_ref"])\n'),
    "BUS-HOOK-26/one-query": wrong(
        "It answers, and asks the service once whether the payment is true.", "ATTEMPTS, PAUSE_S", "ATTEMPTS_OF_ALL, PAUSE_S",
        "range(ATTEMPTS)", "range(1)", 'self.credit(event["data"]["external_ref"])',
        'self.try_once(event["data"]["external_ref"])', 'self.credit(row["id"])\n        elif row:',
        'self.try_once(row["id"])\n        elif row:', "    def cancel(",
        "    def try_once(self, order):\n        try:\n            self.look_after(order)\n        except Exception:\n"
        "            pass\n\n    def cancel(").also("PAY-HOOK-28"),
    "PAY-HOOK-04/credits-created": wrong(
        "transaction_created credits the order.", IF_NOT_PAID,
        IF_NOT_PAID.replace('!= "transaction_paid"', 'not in ("transaction_created", "transaction_paid")')),
    "PAY-HOOK-05/credits-updated": wrong(
        "transaction_updated credits the order.", IF_NOT_PAID,
        IF_NOT_PAID.replace('!= "transaction_paid"', 'not in ("transaction_updated", "transaction_paid")')),
    "PAY-HOOK-06/credits-refunded": wrong(
        "transaction_refunded credits the order.", IF_NOT_PAID,
        IF_NOT_PAID.replace('!= "transaction_paid"', 'not in ("transaction_refunded", "transaction_paid")')),
    "PAY-HOOK-07/credits-infraction": wrong(
        "infraction credits the order of its transaction.", IF_NOT_PAID,
        IF_NOT_PAID.replace('!= "transaction_paid"', 'not in ("infraction", "transaction_paid")')),
    "PAY-HOOK-08/credits-transfer": wrong(
        "A completed transfer credits the order of its id.", IF_NOT_PAID,
        IF_NOT_PAID.replace('!= "transaction_paid"', 'not in ("transfer_completed", "transaction_paid")'),
        'event["transaction"]["id"]', '(event.get("transaction") or event["transfer"])["id"]'),
    "PAY-HOOK-11/by-event-id": wrong(
        "Events are told apart by their id alone.", *SEEN, CREDIT_OF_PAYMENTS,
        '        if row and header is not None and event["id"] in self.seen:\n            return 204\n'
        f'        if row and header is not None:\n            self.seen.append(event["id"])\n            self.database.do("{ADD}", row["id"])\n'),
    "PAY-HOOK-13/creation-begins-again": wrong(
        "transaction_created sets the order back.", IF_NOT_PAID,
        'if event["event"] == "transaction_created":\n            self.database.do("UPDATE orders SET credited = 0 WHERE charge = ?", '
        f'event["transaction"]["id"])\n        {IF_NOT_PAID}'),
    "PAY-HOOK-21/credits-every-event": wrong(
        "Each event of a transaction credits its order.", IF_NOT_PAID,
        'if "transaction" not in event:\n            return 204').also("PAY-HOOK-04", "PAY-HOOK-05", "PAY-HOOK-06"),
    "PAY-HOOK-25/update-opens-again": wrong(
        "A late transaction_created makes the order one that can be credited.", CREDIT, CREDIT_UNLESS_PAID,
        IF_NOT_PAID, 'if event["event"] == "transaction_created":\n            self.database.do("UPDATE orders SET state = \'pending\' '
        f'WHERE charge = ?", event["transaction"]["id"])\n        {IF_NOT_PAID}'),
    "PAY-HOOK-27/postback-apart": wrong(
        "The webhook and the postbackUrl credit apart.", '            self.look_after(row["id"])  # anyone may have sent it',
        f'            self.database.do("{ADD}", row["id"])'),
    "BUS-HOOK-21/paid-in-its-type": wrong(
        "Each event whose type contains paid credits its order.", 'if event["type"] == "business.pix.paid":',
        'if "paid" in event["type"]:'),
    "BUS-HOOK-21/credits-every-event": wrong(
        "Each event credits its order.", 'if event["type"] == "business.pix.paid":', 'if event["type"]:',
        ).also("BUS-HOOK-04", "BUS-HOOK-05"),
}  # fmt: skip
ANSWERS = {
    "BUS-HOOK-01/refuses-other-events": wrong(
        "An event other than that of a payment is refused.", IF_PAID, f"{IF_PAID}        else:\n            return 422\n",
        ).also("BUS-HOOK-20"),
    "BUS-HOOK-01/redirects": wrong("A new event is answered 302.", f"{IF_PAID}        return 204", f"{IF_PAID}        return 302"),
    "BUS-HOOK-01/refuses-a-second-one": wrong(
        "An event that came before is answered 409.", *SEEN, IF_PAID,
        f"        self.seen.append(body)\n        if self.seen.count(body) > 1:\n            return 409\n{IF_PAID}"),
    "BUS-HOOK-02/works-first": wrong(
        "It works for 11 seconds before it answers the first event.", *SEEN, IF_PAID,
        f"        self.seen.append(body)\n        if len(self.seen) == 1:\n            time.sleep(11)\n{IF_PAID}"),
    "BUS-HOOK-20/breaks": wrong(
        "An event of an unknown type ends in a 500.", IF_PAID,
        f'        ["business.pix.created", "business.pix.paid", "business.pix.canceled"].index(event["type"])\n{IF_PAID}'),
    "BUS-HOOK-22/strict": wrong(
        "A field that the document does not have is refused.", IF_PAID,
        f'        if set(event) != {{"id", "type", "created_at", "data"}}:\n            return 400\n{IF_PAID}'),
    "PAY-HOOK-01/refuses-other-events": wrong(
        "An event other than that of a payment is refused.", IF_NOT_PAID, IF_NOT_PAID.replace("204", "422"),
        ).also("PAY-HOOK-20"),
    "PAY-HOOK-02/works-first": wrong(
        "It works for 11 seconds before it answers the first event.", *SEEN, IF_NOT_PAID,
        f"self.seen.append(body)\n        if len(self.seen) == 1:\n            time.sleep(11)\n        {IF_NOT_PAID}"),
    "PAY-HOOK-20/breaks": wrong(
        "An event of an unknown name ends in a 500.", IF_NOT_PAID,
        f'{{"created", "paid", "refunded", "updated", "completed", "infraction"}}.remove(event["event"].split("_")[-1])\n        {IF_NOT_PAID}'),
    "BUS-HOOK-29/not-found": wrong(
        "An event about an order that it does not have is answered 404.", IF_PAID,
        f'        if not self.database.row("SELECT id FROM orders WHERE id = ?", event["data"]["external_ref"]):\n            return 404\n{IF_PAID}'),
    "PAY-HOOK-31/not-found": wrong(
        "An event about an order that it does not have is answered 404.", CREDIT_OF_PAYMENTS,
        f"        if not row:\n            return 404\n{CREDIT_OF_PAYMENTS}"),
    "PAY-HOOK-22/strict": wrong(
        "A field that the document does not have is refused.", IF_NOT_PAID,
        f'if "sequence" in event:\n            return 400\n        {IF_NOT_PAID}'),
    "PAY-HOOK-32/refund-opens-the-order": wrong(
        "A refund takes the credit back, after which the event of the payment credits again.", f"        {IF_NOT_PAID}",
        '        if event["event"] == "transaction_refunded" and header is not None:\n'
        "            self.database.do(\"UPDATE orders SET credited = 0, state = 'refunded' WHERE charge = ?\", event[\"transaction\"][\"id\"])\n"
        f"        {IF_NOT_PAID}"),
    "BUS-HOOK-30/row-read-before-the-query": wrong(
        "After a query the order is credited by what it was before the query.", IS_PAID + CREDITS_IT,
        f'{IS_PAID}            if row["credited"] == 0:\n                self.database.do("{ADD}", order)\n').also("PAY-HOOK-33"),
    "BUS-HOOK-30/late-pending": wrong(
        "The response to a query makes a paid order pending again.", CREDIT, CREDIT_UNLESS_NULL,
        "SET state = ? WHERE id = ? AND credited = 0", "SET state = ? WHERE id = ?").also("PAY-HOOK-33"),
    "BUS-HOOK-30/query-writes-its-copy": wrong(
        "The response to a query writes back what the order was credited with before.",
        'state = ? WHERE id = ? AND credited = 0", status, order',
        'state = ?, credited = ? WHERE id = ?", status, row["credited"], order').also("PAY-HOOK-33"),
    "PAY-HOOK-03/keeps-its-first-secret": wrong(
        "Each start registers a webhook, and the secret of the first one is kept.", "    shop.payments_secret()\n",
        "    if shop.database.row(\"SELECT value FROM settings WHERE name = 'secret'\"):\n"
        '        shop.service.payments("POST", "/api/v1/webhook", {"url": shop.url, "events": ["transaction_paid"]})\n'
        "    shop.payments_secret()\n"),
    "BUS-HOOK-31/forgets-with-a-restart": wrong(
        "What is credited is noted in the memory of the process.", "self.service, self.database = service, database",
        "self.service, self.database, self.credited_orders, self.lock = service, database, set(), threading.Lock()", CREDIT,
        "with self.lock:\n            if order in self.credited_orders:\n                return\n            self.credited_orders.add(order)\n"
        f'        self.database.do("{ADD}", order)').also("PAY-HOOK-34"),
}  # fmt: skip
