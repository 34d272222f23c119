"""Shops with a wrong client: its charges, tokens and transfers."""

from pix_conformance.proof.shop_mutants.changes import CREDIT, IS_PAID, wrong
from pix_conformance.proof.shop_variants import ONE_ATTEMPT, OUTBOX, SENT_FROM_AN_OUTBOX, TRANSFERRED

POSTED = 'charge = self.service.business("POST", CHARGES, body, key)'
CHARGED = 'charge = self.service.payments("POST", QR_CODES, body)'
ITEMS = '"items": [{"title": order, "tangible": True, "quantity": 1, "amountInCents": cents}]'
FIRST_CHARGE = 'order, key, cents = f"order-{uuid.uuid4().hex[:12]}", str(uuid.uuid4()), int(price)'
KEPT = "self.database.do(\"UPDATE orders SET charge = ?, state = 'pending' WHERE id = ?\", charge, order)"
LOGIN = 'answer = self.send("POST", "/api/auth", None, basic)'
LOST = "except httpx.TransportError:\n                time.sleep(PAUSE_S)\n"
SENT = "        for _ in range(ATTEMPTS):\n"
FAILED = "            time.sleep(LIMITED_S if response.status_code == LIMITED else PAUSE_S)\n"
LIMITED = "LIMITED_S if response.status_code == LIMITED else PAUSE_S"
NEW_KEYS = 'headers = {name: str(uuid.uuid4()) if name.lower().endswith("idempotency-key") else value for name, value in headers.items()}\n'
CANCELS = '            self.service.business("POST", f"{CHARGES}/{row[\'charge\']}/cancel")\n'
IN_CENTS = """def in_cents(price):
    from decimal import Decimal
    return int(Decimal(f"{price[:-2] or 0}.{price[-2:]}") * 100)


def is_signed("""
CHARGES = {
    "BUS-CLI-01/decimal": wrong("Charges ask for reais.", '"amount_cents": cents', '"amount_cents": cents / 100').also("BUS-CLI-02"),
    "BUS-CLI-01/text": wrong("The amount is a text.", '"amount_cents": cents', '"amount_cents": str(cents)').also("BUS-CLI-02"),
    "BUS-CLI-02/hundredfold": wrong("Cents are taken for reais.", '"amount_cents": cents', '"amount_cents": cents * 100'),
    "BUS-CLI-02/float": wrong("The price is a float of reais, and then cut to cents.", '"amount_cents": cents', '"amount_cents": int(cents / 100 * 100)'),
    "BUS-CLI-02/one-digit": wrong("A price of one digit is taken for tenths.", "str(uuid.uuid4()), int(price)\n", "str(uuid.uuid4()), in_cents(price)\n", "def is_signed(", IN_CENTS),
    "BUS-CLI-03/long-description": wrong("The description is long.", '"description": order, "customer_email"', '"description": "x" * 301, "customer_email"'),
    "BUS-CLI-04/long-reference": wrong("The label of a charge is long.", '"external_ref": order', '"external_ref": order.ljust(121, "0")'),
    "BUS-CLI-05/too-short": wrong("Charges expire after half a minute.", '"expires_in_seconds": 3600', '"expires_in_seconds": 30'),
    "BUS-CLI-06/no-address": wrong("customer_email is a name.", '"customer_email": EMAIL', '"customer_email": "Maria"'),
    "BUS-CLI-07/other-scheme": wrong("The API key has another scheme.", "f\"Bearer {self.variables['PIX_API_KEY']}\"", "f\"ApiKey {self.variables['PIX_API_KEY']}\""),
    "BUS-CLI-08/no-type": wrong("Bodies are sent as text.", SENT, '        if path in (CHARGES, QR_CODES):\n            headers["Content-Type"] = "text/plain"\n' + SENT).also("PAY-CLI-15"),
    "BUS-CLI-09/no-key": wrong("Charges have no key.", POSTED, POSTED.replace(", key)", ")")).also("BUS-CLI-11", "BUS-CLI-12"),
    "BUS-CLI-10/key-of-the-day": wrong("A key is used for a day.", FIRST_CHARGE, FIRST_CHARGE.replace("str(uuid.uuid4())", "time.strftime('%Y-%m-%d')")),
    "BUS-CLI-10/one-key": wrong("One key is used for all.", FIRST_CHARGE, FIRST_CHARGE.replace("str(uuid.uuid4())", "'shop'")),
    "BUS-CLI-11/new-key": wrong("Each attempt has a new key.", LOST, f"{LOST}                {NEW_KEYS}").also("PAY-CLI-24"),
    "BUS-CLI-11/new-key-after-502": wrong("A 502 after a lost response leads to a new key.", FAILED, f"{FAILED}            if response.status_code != LIMITED:\n                {NEW_KEYS}").also("PAY-CLI-24"),
    "BUS-CLI-12/new-key": wrong("A 502 leads to a new key.", FAILED, f"{FAILED}            {NEW_KEYS}").also("PAY-CLI-25"),
    "BUS-CLI-13/body": wrong("Cancel has a body.", '/cancel")', '/cancel", {"reason": "customer"})'),
    "BUS-CLI-14/canceled-at-once": wrong(
        "A 409 of cancel is taken for a cancellation.",
        "        return self.look_after(order)\n\n    def look_after",
        "            self.database.do(\"UPDATE orders SET state = 'canceled' WHERE id = ?\", order)\n            return 'canceled'\n"
        "        return self.look_after(order)\n\n    def look_after",
        CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state != 'canceled'")),
    "BUS-CLI-18/conflict-means-paid": wrong(
        "A 409 of cancel is taken for a payment.", CANCELS,
        "            answer = self.service.business(\"POST\", f\"{CHARGES}/{row['charge']}/cancel\")\n"
        "            if answer.status_code == CONFLICT:\n                self.credit(order)\n"),
    "BUS-CLI-19/canceled-before-the-answer": wrong(
        "An order is canceled before the service has answered, and stays so after a 502.", CANCELS,
        "            self.database.do(\"UPDATE orders SET state = 'canceled' WHERE id = ? AND credited = 0\", order)\n" + CANCELS,
        CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state != 'canceled'")),
    "BUS-CLI-20/failed-query-ends-the-order": wrong(
        "A query without a success ends the order.", "        charge = send(\"GET\", f\"{path}/{row['charge']}\").raise_for_status().json()\n",
        "        try:\n            charge = send(\"GET\", f\"{path}/{row['charge']}\").raise_for_status().json()\n        except (OSError, httpx.HTTPError):\n"
        "            self.database.do(\"UPDATE orders SET state = 'expired' WHERE id = ? AND credited = 0\", order)\n            return \"expired\"\n",
        CREDIT, CREDIT.replace("credited = 0", "credited = 0 AND state != 'expired'")).also("PAY-CLI-35"),
    "BUS-CLI-15/own-timer": wrong(
        "Orders expire without a query.", "        send, path = (self", '        if row["api"] == "business":\n            return "expired"\n        send, path = (self'),
    "BUS-CLI-16/payouts": wrong("It asks for a route of the future.", POSTED, f'self.service.business("GET", "/v1/business/payouts")\n            {POSTED}'),
    "BUS-CLI-17/key-of-the-amount": wrong(
        "The key is made of the amount, and charges have no label.", FIRST_CHARGE, FIRST_CHARGE.replace("str(uuid.uuid4())", "str(uuid.uuid5(uuid.NAMESPACE_URL, price))"),
        '"external_ref": order, ', "", '"description": order, "customer_email"', '"description": "order", "customer_email"'),
    "PAY-CLI-06/decimal": wrong("Charges ask for reais.", '{"amountInCents": cents', '{"amountInCents": cents / 100').also("PAY-CLI-07"),
    "PAY-CLI-06/text": wrong("The amount is a text.", '{"amountInCents": cents', '{"amountInCents": str(cents)').also("PAY-CLI-07"),
    "PAY-CLI-07/fee": wrong("Charges ask for the price and a fee.", '{"amountInCents": cents', '{"amountInCents": cents + 50'),
    "PAY-CLI-07/float": wrong("The price is a float of reais, and then cut to cents.", '{"amountInCents": cents', '{"amountInCents": int(cents / 100 * 100)'),
    "PAY-CLI-08/upper-case": wrong("documentType is in upper case.", '"documentType": "cpf"', '"documentType": "CPF"'),
    "PAY-CLI-09/punctuation": wrong("The document has points.", '"document": "52998224725"', '"document": "529.982.247-25"'),
    "PAY-CLI-10/long-description": wrong("The description is long.", '"description": order, "postbackUrl"', '"description": order.ljust(141, "."), "postbackUrl"'),
    "PAY-CLI-11/no-customer": wrong("Charges have no customer.", '"customer": CUSTOMER, ', ""),
    "PAY-CLI-12/no-scheme": wrong("postbackUrl has no scheme.", '"postbackUrl": self.url', '"postbackUrl": "shop.example/hook"'),
    "PAY-CLI-13/text-of-item": wrong("quantity of an item is a text.", ITEMS, ITEMS.replace("1,", '"1",')),
    "PAY-CLI-14/beyond-the-whole": wrong("Splits are more than the whole.", '"splits": SPLITS', '"splits": [{"email": "a@example.com", "percentage": 60}, {"email": "b@example.com", "percentage": 60}]'),
    "PAY-CLI-32/old-route": wrong("It asks for a route of an old version.", CHARGED, f'self.service.payments("GET", "/api/v0/balance")\n            {CHARGED}'),
    "PAY-CLI-28/body": wrong("A query has a body.", 'send("GET", f"{path}/{row[\'charge\']}")', 'send("GET", f"{path}/{row[\'charge\']}", {})'),
}  # fmt: skip
ACCOUNT = {
    "PAY-CLI-01/swapped": wrong("It tries the pair in both orders.", LOGIN, 'self.send("POST", "/api/auth", None, {"Authorization": "Basic " + base64.b64encode(":".join(pair.split(":")[::-1]).encode()).decode()})\n                ' + LOGIN),
    "PAY-CLI-02/body": wrong("A login has a body.", LOGIN, 'self.send("POST", "/api/auth", {"grant_type": "client_credentials"}, basic)\n                ' + LOGIN),
    "PAY-CLI-03/basic": wrong("A request has Basic in place of a token.", CHARGED, 'self.service.send("GET", "/api/v1/balance", None, {"Authorization": "Basic eDp5"})\n            ' + CHARGED),
    "PAY-CLI-04/for-ever": wrong("A token is kept for ever.", 'time.monotonic() + answer["expiresIn"] / 1000', "time.monotonic() + 1e9", "if response.status_code == UNAUTHORIZED:", "if False:"),
    "PAY-CLI-04/not-for-queries": wrong("After the 401 of a query no new token is got.", "if response.status_code == UNAUTHORIZED:", 'if response.status_code == UNAUTHORIZED and method == "POST":'),
    "PAY-CLI-05/each-request": wrong("Each request has a token of its own.", "if time.monotonic() > self.valid_until - RENEWED_S:", "if True:", "        for _ in range(ATTEMPTS):\n            try:", '        for attempt in range(ATTEMPTS):\n            if attempt and path == TRANSFERS:\n                headers["Authorization"] = f"Bearer {self.valid_token()}"\n            try:'),
    "PAY-CLI-05/each-order": wrong("Each operation has a token of its own.", "if time.monotonic() > self.valid_until - RENEWED_S:", "if True:"),
    "PAY-CLI-29/at-once": wrong("A 429 is followed by the same request at once.", LIMITED, "0 if response.status_code == LIMITED else PAUSE_S"),
    "PAY-CLI-29/short-pause": wrong("A 429 is followed by a pause of a fifth of a second.", LIMITED, "PAUSE_S"),
    "PAY-CLI-30/plain": wrong("It registers a webhook without TLS first.", '        answer = self.service.payments("POST", "/api/v1/webhook"', '        self.service.payments("POST", "/api/v1/webhook", {"url": self.url.replace("https", "http"), "events": ["transaction_paid"]})\n        answer = self.service.payments("POST", "/api/v1/webhook"'),
    "PAY-CLI-31/no-events": wrong("It registers a webhook without events first.", '        answer = self.service.payments("POST", "/api/v1/webhook"', '        self.service.payments("POST", "/api/v1/webhook", {"url": self.url, "events": []})\n        answer = self.service.payments("POST", "/api/v1/webhook"'),
    "PAY-CLI-31/made-up-event": wrong("It subscribes to an event that is in no document.", '        answer = self.service.payments("POST", "/api/v1/webhook"', '        self.service.payments("POST", "/api/v1/webhook", {"url": self.url, "events": ["payment"]})\n        answer = self.service.payments("POST", "/api/v1/webhook"'),
}  # fmt: skip
TRANSFERS = {
    "PAY-CLI-16/prefix": wrong("PIX keys have a prefix.", '"pixKey": key', '"pixKey": f"evp:{key}"'),
    "PAY-CLI-17/decimal": wrong("Transfers are in reais.", '"amount": int(price)', '"amount": int(price) / 100').also("PAY-CLI-33"),
    "PAY-CLI-18/dollars": wrong("Transfers are in dollars.", '"currency": "BRL"', '"currency": "USD"'),
    "PAY-CLI-19/long-description": wrong("The description is long.", 'f"Transfer {transfer}"', '"x" * 141'),
    "PAY-CLI-20/no-key": wrong("Transfers have no key.", TRANSFERRED, TRANSFERRED.replace(", transfer)", ")")),
    "PAY-CLI-21/name": wrong("Keys are names.", TRANSFERRED, TRANSFERRED.replace(", transfer)", ', f"transfer-{transfer}")')),
    "PAY-CLI-22/of-the-amount": wrong("The key is made of amount and PIX key.", "transfer, body = str(uuid.uuid4()), ", "transfer, body = str(uuid.uuid5(uuid.NAMESPACE_URL, f'{key} {price}')), ", "INSERT INTO transfers", "INSERT OR IGNORE INTO transfers"),
    "PAY-CLI-22/header-of-all": wrong("The key is a header of the HTTP client that all threads share.", '        more = {"x-idempotency-key": key} if key else {}\n', '        self.http.headers.update({"x-idempotency-key": key} if key else {})\n        more: dict[str, str] = {}\n'),
    "PAY-CLI-22/of-the-moment": wrong("The key is made of the time, to a tenth of a second.", "transfer, body = str(uuid.uuid4()), ", "transfer, body = str(uuid.uuid5(uuid.NAMESPACE_URL, str(int(time.time() * 10)))), ", "INSERT INTO transfers", "INSERT OR IGNORE INTO transfers"),
    "PAY-CLI-22/of-the-day": wrong("A key is used for a day.", "transfer, body = str(uuid.uuid4()), ", "transfer, body = str(uuid.uuid5(uuid.NAMESPACE_URL, time.strftime('%Y-%m-%d'))), ", "INSERT INTO transfers", "INSERT OR IGNORE INTO transfers").also("PAY-CLI-23"),
    "PAY-CLI-23/one-key": wrong("One key is used for all.", TRANSFERRED, TRANSFERRED.replace(", transfer)", ', "0f5fdaf0-5b0c-4c55-9d0a-0d0c35b8d7c1")')).also("PAY-CLI-22"),
    "PAY-CLI-24/other-body": wrong("A repetition has another body.", LOST, f"{LOST}                body = body and {{**body, 'description': 'again'}}\n"),
    "PAY-CLI-24/new-key-after-restart": wrong(
        "Transfers without a response are sent again when the shop is started again, with new keys.", "    shop.payments_secret()\n",
        "    shop.payments_secret()\n    with closing(sqlite3.connect(shop.database.path)) as connection:\n"
        "        left = connection.execute('SELECT body FROM transfers WHERE path IS NULL').fetchall()\n"
        "    for (body,) in left:\n"
        "        threading.Thread(target=shop.service.payments, args=('POST', TRANSFERS, json.loads(body), str(uuid.uuid4()))).start()\n"),
    "BUS-CLI-21/order-in-shared-field": wrong(
        "The charge of an order stands in a field that simultaneous orders share.", KEPT, f"self.charge = charge\n        time.sleep(0.3)\n"
        f"        charge = self.charge if api == 'business' else charge\n        {KEPT}"),
    "PAY-CLI-24/new-key-from-outbox": wrong(
        "A transfer without an answer is sent again after its command has ended, with another key.",
        TRANSFERRED, OUTBOX.replace("body, transfer)", "body, str(uuid.uuid4()))"), *SENT_FROM_AN_OUTBOX, *ONE_ATTEMPT,
    ).also("PAY-CLI-25"),
    "PAY-CLI-24/other-amount-from-outbox": wrong(
        "A transfer without an answer is sent again after its command has ended, with its key and a fee more.",
        TRANSFERRED, OUTBOX.replace("(transfer, body))", '(transfer, {**body, "amount": body["amount"] + 7}))'), *SENT_FROM_AN_OUTBOX, *ONE_ATTEMPT,
    ).also("PAY-CLI-25"),
    "PAY-CLI-24/new-key-after-cut": wrong("A response that ends within its body leads to a new key.", LOST, LOST.replace("TransportError:\n", "TransportError as fault:\n") + f"                if 'complete message' in str(fault):\n                    {NEW_KEYS}").also("BUS-CLI-11"),
    "PAY-CLI-24/new-key-after-timeout": wrong("A request that is not answered in time is sent with a new key.", LOST, f"except httpx.TimeoutException:\n                {NEW_KEYS}                continue\n            {LOST}").also("BUS-CLI-11"),
    "PAY-CLI-24/new-key-after-401": wrong("A new token leads to a new key.", "            self.valid_until = 0\n            response", '            self.valid_until = 0\n            more = {"x-idempotency-key": str(uuid.uuid4())} if key else {}\n            response'),
    "PAY-CLI-24/new-key-after-429": wrong("A 429 leads to a new key.", FAILED, f"            if response.status_code == LIMITED:\n                {NEW_KEYS}{FAILED}"),
    "PAY-CLI-26/new-key": wrong("A 409 leads to a new key.", "            if response.status_code != LIMITED and", f"            if response.status_code == CONFLICT:\n                {NEW_KEYS}                continue\n            if response.status_code != LIMITED and"),
    "PAY-CLI-27/at-once": wrong("A transfer is completed at once.", 'self.service.payments("GET", path).json()["data"]["status"] in', 'self.service.payments("POST", f"{path}/complete").is_success and "approved" in'),
    "PAY-CLI-27/gives-up-waiting": wrong(
        "A transfer that is in analysis for three seconds is completed.", '        while self.service.payments("GET", path)', '        ends = time.monotonic() + 3\n        while self.service.payments("GET", path)',
        'in {"pending", "manual_analysis"}:', 'in {"pending", "manual_analysis"} and time.monotonic() < ends:'),
    "PAY-CLI-33/float": wrong("The amount is a float of reais, and then cut to cents.", '"amount": int(price)', '"amount": int(int(price) / 100 * 100)'),
    "PAY-CLI-33/one-digit": wrong("An amount of one digit is taken for tenths.", '"amount": int(price)', '"amount": in_cents(price)', "def is_signed(", IN_CENTS),
    "PAY-CLI-34/not-pending-is-paid": wrong("Each status but pending is taken for paid.", IS_PAID, IS_PAID.replace('== "paid"', 'not in ("pending", "expired")')),
    "PAY-CLI-33/net": wrong("A transfer has the fee on top.", '"amount": int(price)', '"amount": int(price) + 80'),
}  # fmt: skip
