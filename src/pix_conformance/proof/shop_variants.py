"""Right integrations: the example shop with other choices that the documents leave open. No must may fail on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

HOOK_ANSWER = """            status = await run_in_threadpool(receive, await request.body(), request.headers.get(name))
            return Response(status_code=status)
"""
ACCEPTED = "        return 204\n\n    def on_payments_event"
LATER = """            async def later(body, header):
                import asyncio
                await asyncio.sleep(0.2)
                await run_in_threadpool(receive, body, header)

            from starlette.background import BackgroundTask
            task = BackgroundTask(later, await request.body(), request.headers.get(name))
            return Response(status_code=202, background=task)
"""
QUEUE = """            waiting.put((receive, await request.body(), request.headers.get(name)))
            return Response(status_code=200)
"""
WORKER = """
waiting = queue.Queue()


def work() -> None:
    while True:
        receive, *event = waiting.get()
        receive(*event)


threading.Thread(target=work, daemon=True).start()


def app("""
POLLS = """def polls(shop):
    while True:
        with closing(sqlite3.connect(shop.database.path, timeout=30)) as connection:
            rows = connection.execute(
                "SELECT id FROM orders WHERE credited = 0 AND charge IS NOT NULL ORDER BY rowid DESC LIMIT 40"
            ).fetchall()
        for (order,) in rows:
            try:
                shop.look_after(order)
            except (httpx.HTTPError, OSError):
                pass
        time.sleep(0.3)


"""
PROXY = """def proxy(port, inner):
    import http.server

    class Passes(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()} | {"x-forwarded-for": "10.0.0.1"}
            answer = httpx.request(self.command, f"http://127.0.0.1:{inner}{self.path}", headers=headers, content=body, timeout=30)
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST

    for _ in range(400):
        try:
            httpx.get(f"http://127.0.0.1:{inner}/")
            break
        except httpx.TransportError:
            time.sleep(0.05)
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Passes).serve_forever()


"""
PAYMENTS_TABLE = "CREATE TABLE IF NOT EXISTS settings"
CREDIT = "self.database.do(\"UPDATE orders SET credited = cents, state = 'paid' WHERE id = ? AND credited = 0\", order)"
WALLET = 'return int(self.database.row("SELECT SUM(credited) AS cents FROM orders")["cents"] or 0)'
WALLET_ROW = """row = self.database.row("SELECT value FROM settings WHERE name = 'wallet'")
        return int(row["value"]) if row else 0"""
RAISED = '''self.database.do(
                """INSERT INTO settings VALUES ('wallet', ?)
                ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INT) + excluded.value""", self.credited(order))'''
IF_PAID = '        if event["type"] == "business.pix.paid":\n            self.credit(event["data"]["external_ref"])\n'
CREDIT_OF_PAYMENTS = '        if row and header is not None:\n            self.credit(row["id"])\n'
SERVE = 'uvicorn.run(app(shop), port=int(os.environ.get("SHOP_PORT", "8000")), log_level="warning")'
TWO_PROCESSES = (
    'uvicorn.run("shop:create", factory=True, workers=2, port=int(os.environ["SHOP_PORT"]), log_level="warning")'
)
CREATE = """def create() -> Starlette:
    return app(Shop(Service(dict(os.environ)), Database(os.environ["SHOP_DB"])))


def main() -> None:"""
TRANSFERRED = 'response = self.service.payments("POST", TRANSFERS, body, transfer)'
OUTBOX = '''self.send_transfer(transfer, body)
        return transfer

    def send_transfer(self, transfer: str, body: dict[str, Any]) -> str:
        """Send a transfer, and again from the outbox 3 s later if there was no answer."""
        try:
            response = self.service.payments("POST", TRANSFERS, body, transfer)
        except ConnectionError:
            timer = threading.Timer(3, self.send_transfer, (transfer, body))
            timer.daemon = True
            timer.start()
            return transfer'''
PATH = 'path = self.database.row("SELECT path FROM transfers WHERE id = ?", transfer)["path"]\n'
SENT_FROM_AN_OUTBOX = (PATH, f"{PATH}        if path is None:\n            return transfer\n")
ONE_ATTEMPT = ("OLDEST_S = 3,", "OLDEST_S = 1,")
POSTED = 'charge = self.service.business("POST", CHARGES, body, key)'
LOOKED = 'charge = send("GET", f"{path}/{row[\'charge\']}").raise_for_status().json()'
COMPARED = "hmac.compare_digest(v1.lower().encode(), right.encode())"
REGISTERED = '"events": ["transaction_paid"]'
BUSINESS_EVENT = (
    'is_signed(header, body, self.service.variables["PIX_BUSINESS_WEBHOOK_SECRET"], OLDEST_S):\n            return 400'
)
PAYMENTS_EVENT = "is_signed(header, body, self.payments_secret()):\n            return 400"


@dataclass(frozen=True)
class ShopVariant:
    """A right shop: its choice in a sentence, the changed texts, and rows of its description that differ."""

    sentence: str
    changes: tuple[tuple[str, str], ...] = ()
    table: Mapping[str, str] = field(default_factory=dict)


def right(sentence: str, *texts: str, **table: str) -> ShopVariant:
    """Return a variant: its sentence, then in turn a text of the shop and what takes its place."""
    return ShopVariant(sentence, tuple(zip(texts[::2], texts[1::2], strict=True)), table)


def _refuses_with(status: int) -> ShopVariant:
    return right(
        f"A wrong signature is answered {status}.",
        BUSINESS_EVENT, BUSINESS_EVENT.replace("400", str(status)), PAYMENTS_EVENT, PAYMENTS_EVENT.replace("400", str(status)),
    )  # fmt: skip


VARIANTS: dict[str, ShopVariant] = {
    "as-it-is": right("The example shop itself."),
    "answers-200": right("Events are answered 200.", ACCEPTED, ACCEPTED.replace("204", "200")),
    "answers-202-and-works-later": right("Events are answered 202, and handled after that.", HOOK_ANSWER, LATER),
    "keeps-a-queue": right(
        "Events are kept in a queue that a thread empties.", HOOK_ANSWER, QUEUE, "\ndef app(", WORKER,
        "import os\n", "import os\nimport queue\n"),
    "refuses-401": _refuses_with(401),
    "refuses-403": _refuses_with(403),
    "ignores-forged-200": _refuses_with(200),
    "asks-instead-of-believing": right(
        "An event makes it ask the service, whose answer it believes.",
        'self.credit(event["data"]["external_ref"])', 'self.look_after(event["data"]["external_ref"])',
        CREDIT_OF_PAYMENTS, CREDIT_OF_PAYMENTS.replace("self.credit", "self.look_after")),
    "asks-and-answers-500": right(
        "An event makes it ask the service, once; if that fails it answers 500 and gets the event again.",
        'self.credit(event["data"]["external_ref"])', 'self.look_after(event["data"]["external_ref"])',
        CREDIT_OF_PAYMENTS, CREDIT_OF_PAYMENTS.replace("self.credit", "self.look_after"),
        *ONE_ATTEMPT),
    "ignores-postbacks": right(
        "An unsigned event of the payments API is ignored.", '            self.look_after(row["id"])  # anyone may have sent it',
        "            pass"),
    "refuses-postbacks": right(
        "An unsigned event of the payments API is refused.", "if header is not None and not is_signed(header, body, self.payments_secret()):",
        "if not is_signed(header, body, self.payments_secret()):"),
    "refuses-old-payments": right(
        "Events of the payments API may be five minutes old.", "is_signed(header, body, self.payments_secret())",
        "is_signed(header, body, self.payments_secret(), OLDEST_S)"),
    "polls-only": right("It has no webhook endpoint, and asks the service.", hook=""),
    "has-no-commands": right("Only its endpoint is known.", order="", credited="", transfer="", cancel="", wait=""),
    "has-one-api": right("It takes PIX by the business charge API alone.", transfer=""),
    "keeps-a-wallet": right(
        "The wallet is a row of its own, which each credit raises.", WALLET, WALLET_ROW,
        CREDIT, f"if {CREDIT}:\n            {RAISED}"),
    "keeps-a-wallet-in-two-processes": right(
        "Two processes raise the wallet, a row of its own.", WALLET, WALLET_ROW, CREDIT, f"if {CREDIT}:\n            {RAISED}",
        SERVE, TWO_PROCESSES, "def main() -> None:", CREATE),
    "two-processes": right("Two processes serve it.", SERVE, TWO_PROCESSES, "def main() -> None:", CREATE),
    "never-repeats": right("It repeats no request.", *ONE_ATTEMPT),
    "repeats-after-409": right(
        "A 409 is followed by the same request, with its key: the first one may be in progress, and no second one is made.",
        "if response.status_code != LIMITED and", "if response.status_code not in (CONFLICT, LIMITED) and"),
    "logs-in-for-each-order": right("Each order has a token of its own.", '        if api == "business":\n            body', '        self.service.valid_until = 0\n        if api == "business":\n            body'),
    "key-is-the-reference": right("The key of a charge is the reference of the order, no UUID.", POSTED, POSTED.replace(", key)", ", order)")),
    "no-key-no-repetition": right(
        "Charges have no key, and are not repeated.", POSTED, POSTED.replace(", key)", ")"), *ONE_ATTEMPT),
    "by-e2e-id": right(
        "Payments are told apart by e2e_id.", PAYMENTS_TABLE, f"CREATE TABLE IF NOT EXISTS payments (e2e TEXT PRIMARY KEY);\n{PAYMENTS_TABLE}",
        IF_PAID, '        if event["type"] == "business.pix.paid" and self.database.do("INSERT OR IGNORE INTO payments VALUES (?)", event["data"]["e2e_id"]):\n'
        '            self.credit(event["data"]["external_ref"])\n'),
    "counts-in-a-table-of-its-own": right(
        "Each credit is a row with a unique payment, in one transaction.", PAYMENTS_TABLE, f"CREATE TABLE IF NOT EXISTS credits (id TEXT PRIMARY KEY);\n{PAYMENTS_TABLE}",
        CREDIT, f'if self.database.do("INSERT OR IGNORE INTO credits VALUES (?)", order):\n            {CREDIT}'),
    "without-label": right(
        "Charges have no label: an event makes it ask for all charges that are not credited.", '"external_ref": order, ', "",
        IF_PAID, '        if event["type"] == "business.pix.paid":\n            import contextlib\n'
        "            with contextlib.closing(sqlite3.connect(self.database.path, timeout=30)) as connection:\n"
        "                rows = connection.execute(\"SELECT id FROM orders WHERE api = 'business' AND credited = 0 AND charge IS NOT NULL\").fetchall()\n"
        "            for (order,) in rows:\n                self.look_after(order)\n"),
    "upper-case-hash": right("Hashes are compared in upper case.", COMPARED, "hmac.compare_digest(v1.upper().encode(), right.upper().encode())"),
    "subscribes-to-all": right(
        "It subscribes to every event.", REGISTERED,
        '"events": ["transaction_created", "transaction_paid", "transaction_refunded", "transaction_updated", "infraction", '
        '"transfer_created", "transfer_updated", "transfer_completed", "transfer_canceled"]'),
    "pretty-bodies": right("Bodies of requests are indented.", "json=body, headers", "content=body and json.dumps(body, indent=2), headers", "        for _ in range(ATTEMPTS):\n",
        '        headers = headers | ({"content-type": "application/json; charset=utf-8"} if body else {})\n        for _ in range(ATTEMPTS):\n'),
    "sends-only-what-is-required": right(
        "Bodies have the members that are required, and no others.", '            body |= {"description": order, "customer_email": EMAIL}\n', "",
        ', "description": order, "postbackUrl": self.url}', "}", '        body["description"] = f"Transfer {transfer}"\n', "",
        '            body |= {"splits": SPLITS}\n            body |= {"items": [{"title": order, "tangible": True, "quantity": 1, "amountInCents": cents}]}\n', ""),
    "null-for-what-it-does-not-send": right(
        "An optional member that it does not send is null.", '"description": order, "customer_email": EMAIL', '"description": None, "customer_email": None',
        '"description": order, "postbackUrl": self.url', '"description": None, "postbackUrl": None', 'f"Transfer {transfer}"', "None",
        '"splits": SPLITS', '"splits": None', '"items": [{"title": order, "tangible": True, "quantity": 1, "amountInCents": cents}]', '"items": None'),
    "tries-both-secrets": right(
        "An event is signed if it verifies with the secret of either API.", f"if not {BUSINESS_EVENT}",
        f"if not is_signed(header, body, self.payments_secret(), OLDEST_S) and not {BUSINESS_EVENT}"),
    "refuses-more-fields": right(
        "An event with fields that the documents do not have is refused.", IF_PAID,
        f'        if not set(event) <= {{"id", "type", "created_at", "data"}}:\n            return 400\n{IF_PAID}',
        'if event["event"] != "transaction_paid":', 'if not set(event) <= {"id", "type", "event", "scope", "transaction", "transfer", "infraction"}:\n'
        '            return 400\n        if event["event"] != "transaction_paid":'),
    "refuses-while-it-handles-the-same": right(
        "An event that arrives while the same one is handled is answered 503.", HOOK_ANSWER,
        "            event = (await request.body(), request.headers.get(name))\n            if event in BUSY:\n"
        "                return Response(status_code=503)\n            BUSY.add(event)\n"
        "            status = await run_in_threadpool(receive, *event)\n            BUSY.discard(event)\n"
        "            return Response(status_code=status)\n", "\ndef app(", "\nBUSY = set()\n\n\ndef app("),
    "handles-one-event-at-a-time": right(
        "An event that arrives while any other is handled is answered 503.", HOOK_ANSWER,
        "            event = await request.body()\n            if BUSY:\n"
        "                return Response(status_code=503)\n            BUSY.add(event)\n"
        "            status = await run_in_threadpool(receive, event, request.headers.get(name))\n            BUSY.discard(event)\n"
        "            return Response(status_code=status)\n", "\ndef app(", "\nBUSY = set()\n\n\ndef app("),
    "answers-a-page": right(
        "Events are answered with a page and headers, as frameworks do.", "            return Response(status_code=status)\n",
        '            headers = {"X-Powered-By": "Express", "Set-Cookie": "session=1"}\n'
        '            return Response("<p>OK</p>", 200 if status == 204 else status, headers, "text/html")\n'),
    "polls-and-ignores-events": right(
        "Events are answered and ignored: a thread asks the service for the latest orders that are not credited.", HOOK_ANSWER,
        "            return Response(status_code=200)\n", SERVE, f"threading.Thread(target=polls, args=(shop,), daemon=True).start()\n    {SERVE}",
        "def is_signed(", POLLS + "def is_signed(", within="30"),
    "asks-when-it-is-asked": right(
        "An order is credited when its customer looks: the service is asked then.", HOOK_ANSWER, "            return Response(status_code=200)\n",
        '        return int(self.database.row("SELECT credited', '        self.look_after(order)\n        return int(self.database.row("SELECT credited'),
    "credits-after-1500-ms": right("Events are handled a second and a half after the answer.", HOOK_ANSWER, LATER.replace("0.2", "1.5"), within="30"),
    "behind-a-proxy": right(
        "A proxy stands before it, which writes all names of headers in lower case and adds some.",
        SERVE, 'port = int(os.environ["SHOP_PORT"])\n    threading.Thread(target=proxy, args=(port, port + 1), daemon=True).start()\n'
        '    uvicorn.run(app(shop), port=port + 1, log_level="warning")', "def is_signed(", PROXY + "def is_signed("),
    "unknown-order-404": right(
        "An event of an order that it does not know is answered 404.", IF_PAID,
        '        if not self.database.row("SELECT id FROM orders WHERE id = ?", event["data"].get("external_ref")):\n            return 404\n' + IF_PAID),
    "reads-lists": right(
        "It finds the status of a charge in the list.", LOOKED, f"""{LOOKED}
        if row["api"] == "business":
            charge = next(charge for charge in charges_in(send("GET", path).json()) if charge["id"] == row["charge"])""",
        "def is_signed(", "def charges_in(answer):\n    return answer if isinstance(answer, list) else next(value for value in answer.values() if isinstance(value, list))\n\n\ndef is_signed("),
    "goes-on-after-40-s": right("A 429 is followed by a pause of 40 s, longer than a command may take.", "OLDEST_S = 3, 0.2, 2.0,", "OLDEST_S = 3, 0.2, 40.0,"),
    "repeats-from-an-outbox": right(
        "A transfer without an answer is sent again after its command has ended.", TRANSFERRED, OUTBOX, *SENT_FROM_AN_OUTBOX, *ONE_ATTEMPT),
    "waits-for-minutes": right("A 429 ends the order.", "            time.sleep(LIMITED_S if", "            if response.status_code == LIMITED:\n                break\n            time.sleep(LIMITED_S if"),
    "takes-refunds-back": right(
        "A refund takes the credit back, and its payment is not credited again.", CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state IS NOT 'refunded'"),
        'if event["event"] != "transaction_paid":', 'if event["event"] == "transaction_refunded" and header is not None:\n'
        "            self.database.do(\"UPDATE orders SET credited = 0, state = 'refunded' WHERE charge = ?\", event[\"transaction\"][\"id\"])\n"
        '        if event["event"] != "transaction_paid":'),
    "one-at-a-time": right(
        "It does one thing at a time: an event waits until a query has been answered.", "def page(act: Callable[..., object]", "turns = threading.Lock()\n\n    def page(act: Callable[..., object]",
        '        return lambda request: PlainTextResponse(\n            f"{act(*[{**request.path_params, **request.query_params}[name] for name in names])}\\n"\n        )\n',
        '        def answer(request):\n            with turns:\n                return PlainTextResponse(f"{act(*[{**request.path_params, **request.query_params}[name] for name in names])}\\n")\n\n        return answer\n',
        HOOK_ANSWER, HOOK_ANSWER.replace("await run_in_threadpool(receive, await request.body(), request.headers.get(name))", "await run_in_threadpool(in_turn, receive, await request.body(), request.headers.get(name))"),
        "    def hook(receive", "    def in_turn(receive, *event):\n        with turns:\n            return receive(*event)\n\n    def hook(receive"),
    "forgets-all-with-a-restart": right(
        "Its database lives as long as its process.", "with closing(sqlite3.connect(path)) as connection:\n            connection", "with closing(sqlite3.connect(path)) as connection:\n            connection.executescript('DROP TABLE IF EXISTS orders; DROP TABLE IF EXISTS transfers; DROP TABLE IF EXISTS settings')\n            connection"),
    "waits-for-short-answers": right("It waits for a response for a second, and asks again.", "timeout=5, trust_env", "timeout=1, trust_env"),
    "asks-before-it-cancels": right(
        "It cancels only what a query shows as pending.", "            self.service.business(\"POST\", f\"{CHARGES}/{row['charge']}/cancel\")\n",
        "            if self.look_after(order) == \"pending\":\n                self.service.business(\"POST\", f\"{CHARGES}/{row['charge']}/cancel\")\n"),
    "sells-nothing-below-a-real": right(
        "Orders and transfers below one real are refused.", "str(uuid.uuid4()), int(price)\n", "str(uuid.uuid4()), int(price)\n        if cents < 100:\n            raise ValueError(price)\n",
        "transfer, body = str(uuid.uuid4()), ", "if int(price) < 100:\n            raise ValueError(price)\n        transfer, body = str(uuid.uuid4()), "),
    "completes-no-transfer": right(
        "It completes no transfer.", '        self.service.payments("POST", f"{path}/complete")\n', ""),
}  # fmt: skip
"""All right shops by name."""
