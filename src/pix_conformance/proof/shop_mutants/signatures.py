"""Shops with a wrong webhook endpoint: which events they believe."""

from pix_conformance.proof.shop_mutants.changes import IF_PAID, wrong

COMPARED = "if not t or not hmac.compare_digest(v1.lower().encode(), right.encode()):"
BUSINESS_EVENT = 'is_signed(header, body, self.service.variables["PIX_BUSINESS_WEBHOOK_SECRET"], OLDEST_S)'
AS_PARSED = 'json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode()'
AGE = "    return oldest is None or abs(time.time() - float(t)) <= oldest\n"

SIGNATURES = {
    "BUS-HOOK-11/parsed-first": wrong(
        "The signature is computed over the body as it is written again.", 't.encode() + b"." + body', f't.encode() + b"." + {AS_PARSED}',
        ).also("PAY-HOOK-14"),
    "BUS-HOOK-11/stripped": wrong("White space around the body is dropped.", 'b"." + body', 'b"." + body.strip()').also("PAY-HOOK-14"),
    "BUS-HOOK-11/text-of-another-charset": wrong(
        "The body is read as Latin-1.", 'b"." + body', 'b"." + body.decode("latin-1").encode()').also("PAY-HOOK-14"),
    "BUS-HOOK-12/body-alone": wrong(
        "The hash of the body alone is right too.", COMPARED,
        f"if v1 != hmac.new(secret.encode(), body, 'sha256').hexdigest() and ({COMPARED[3:-1]}):").also("PAY-HOOK-15"),
    "BUS-HOOK-13/not-verified": wrong(
        "No signature is verified.", COMPARED, "if not t:",
        ).also("BUS-HOOK-12", "BUS-HOOK-14", "BUS-HOOK-16", "PAY-HOOK-15", "PAY-HOOK-16", "PAY-HOOK-17", "PAY-HOOK-19"),
    "BUS-HOOK-13/no-secret": wrong(
        "A hash with an empty secret is right too.", COMPARED,
        f'if v1 != hmac.new(b"", t.encode() + b"." + body, "sha256").hexdigest() and ({COMPARED[3:-1]}):').also("PAY-HOOK-16"),
    "BUS-HOOK-14/form-alone": wrong(
        "A hash of 64 digits is right.", COMPARED, "if len(v1) != 64:").also("BUS-HOOK-12", "BUS-HOOK-13", "PAY-HOOK-17"),
    "BUS-HOOK-14/logs-alone": wrong(
        "A wrong signature is logged, and the event believed.", f"if not {BUSINESS_EVENT}:\n            return 400",
        f"if not {BUSINESS_EVENT}:\n            print('wrong signature')").also("BUS-HOOK-13", "BUS-HOOK-15"),
    "BUS-HOOK-15/unsigned": wrong(
        "An event without a signature is believed.", f"if not {BUSINESS_EVENT}:", f"if header and not {BUSINESS_EVENT}:"),
    "BUS-HOOK-16/beginning": wrong(
        "The beginning of the hash is enough.", COMPARED, "if not t or not right.startswith(v1.lower()):").also("PAY-HOOK-19"),
    "BUS-HOOK-16/no-hash": wrong(
        "A header without v1 is believed.", "    t, v1 = entries", '    if "v1" not in entries and header is not None:\n        return True\n    t, v1 = entries',
        ).also("PAY-HOOK-19"),
    "BUS-HOOK-16/as-long-as-given": wrong(
        "Only as many digits are compared as there are.", "v1.lower().encode(), right.encode()",
        "v1.lower().encode(), right[:len(v1)].encode()").also("PAY-HOOK-19"),
    "BUS-HOOK-17/any-age": wrong("t may have any age.", AGE, "    return True\n").also("BUS-HOOK-18"),
    "BUS-HOOK-18/future": wrong("t may be in the future.", "abs(time.time() - float(t))", "time.time() - float(t)"),
    "BUS-HOOK-19/by-created-at": wrong(
        "The age of an event is counted from its created_at.", f"        event = json.loads(body)\n{IF_PAID}",
        '        event = json.loads(body)\n        from datetime import datetime\n        '
        'if time.time() - datetime.fromisoformat(event["created_at"]).timestamp() > OLDEST_S:\n            return 400\n' + IF_PAID),
    "BUS-HOOK-19/a-minute": wrong("t may be a minute old.", "OLDEST_S = 3, 0.2, 2.0, 5, 300", "OLDEST_S = 3, 0.2, 2.0, 5, 60"),
    "PAY-HOOK-18/postback": wrong(
        "An unsigned event of the scope postback is believed.",
        "if row and header is not None:", 'if row and (header is not None or event["scope"] == "postback"):'),
    "PAY-HOOK-18/unsigned": wrong(
        "An event without a signature is believed.", "if row and header is not None:", "if row:"),
    "PAY-HOOK-17/logs-alone": wrong(
        "A wrong signature is logged, and the event believed.", "if header is not None and not is_signed(header, body, self.payments_secret()):\n            return 400",
        "if header is not None and not is_signed(header, body, self.payments_secret()):\n            print('wrong signature')").also("PAY-HOOK-16"),
    "PAY-HOOK-19/empty-header": wrong(
        "An empty signature header is believed.", "if header is not None and not is_signed(header, body, self.payments_secret()):",
        "if header and not is_signed(header, body, self.payments_secret()):"),
    "PAY-HOOK-19/empty-hash": wrong(
        "An event with an empty v1 is believed.", COMPARED, f"if v1 and ({COMPARED[3:-1]}):").also("BUS-HOOK-16"),
}  # fmt: skip
