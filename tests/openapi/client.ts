// Clients of both APIs, with types that openapi-typescript makes of the OpenAPI files: a charge, a transfer, a list.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components as Business, paths as BusinessPaths } from "./made/business.js";
import type { components as Payments, paths as PaymentsPaths, webhooks as Events } from "./made/payments.js";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Transfer = Payments["schemas"]["TransferRequest"];
type EventBody<Name extends keyof Events> =
  Events[Name] extends { post: { requestBody: { content: { "application/json": infer Body } } } } ? Body : never;

const exact: Same<Transfer["pixKey"], string> = true;
const code: Same<Payments["schemas"]["NotFoundError"]["error"], "NOT_FOUND"> = true;
const event: Same<EventBody<"transfer_created">["event"], Payments["schemas"]["EventName"]> = true;
const eventId: Same<EventBody<"transaction_created">["id"], string> = true;
const status: Same<Business["schemas"]["Charge"]["status"], "pending" | "paid" | "expired" | "canceled"> = true;
assert(exact && code && event && eventId && status);
// @ts-expect-error The PIX key is a string.
const wrongKey: Transfer = { pixKey: { not: "a string" }, amount: 1 };
// @ts-expect-error The amount is a number.
const wrongAmount: Transfer = { pixKey: "maria@example.com", amount: "1" };
assert(wrongKey && wrongAmount);

function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

const baseUrl = setting("PIX_BASE_URL");

async function token(): Promise<string> {
  const pair = `${setting("PIX_CLIENT_ID")}:${setting("PIX_CLIENT_SECRET")}`;
  const headers = { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  const { data, error } = await createClient<PaymentsPaths>({ baseUrl, headers }).POST("/api/auth");
  assert(data, JSON.stringify(error));
  return data.token;
}

async function payments(): Promise<void> {
  const client = createClient<PaymentsPaths>({ baseUrl, headers: { Authorization: `Bearer ${await token()}` } });
  const customer = { documentType: "cpf", document: "52998224725" } as const;
  const charge = await client.POST("/api/v1/pix/in/qrcode", { body: { amountInCents: 1050, customer } });
  assert.equal(charge.data?.data.status, "pending");
  const paid = await client.POST("/api/v1/pix/in/qrcode/{transactionId}/pay", {
    params: { path: { transactionId: charge.data.data.id } },
  });
  assert.equal(paid.data?.data.status, "paid");

  const body: Transfer = { pixKey: setting("PIX_TRANSFER_KEY"), amount: 100 };
  // @ts-expect-error The header x-idempotency-key is required.
  const withoutKey = () => client.POST("/api/v1/pix/out/pixkey", { body });
  assert(withoutKey);
  const key = randomUUID();
  const header = { "x-idempotency-key": key };
  const transfer = await client.POST("/api/v1/pix/out/pixkey", { params: { header }, body });
  assert.equal(transfer.data?.data.amount, 100);
  const reused = await client.POST("/api/v1/pix/out/pixkey", { params: { header }, body: { ...body, amount: 101 } });
  assert.equal(reused.error?.error, "IDEMPOTENCY_CONFLICT");

  const list = await client.GET("/api/v1/webhook");
  assert.equal(list.data?.data.pagination.totalCount, list.data?.data.webhooks.length);
  const unknown = await client.GET("/api/v1/pix/in/qrcode/{transactionId}", {
    params: { path: { transactionId: randomUUID() } },
  });
  assert.equal(unknown.error?.error, "NOT_FOUND");
}

async function business(): Promise<void> {
  const headers = { Authorization: `Bearer ${setting("PIX_API_KEY")}` };
  const client = createClient<BusinessPaths>({ baseUrl, headers });
  const charge = await client.POST("/v1/business/pix-charges", { body: { amount_cents: 1050 } });
  assert.equal(charge.data?.status, "pending");
  const list = await client.GET("/v1/business/pix-charges", { params: { query: { status: "pending" } } });
  assert(list.data);
  const charges = Array.isArray(list.data) ? list.data : Object.values(list.data).flat();
  assert(charges.length > 0);
  const refused = await client.POST("/v1/business/pix-charges", { body: { amount_cents: 0 } });
  assert.match(refused.error?.detail ?? "", /amount_cents/);
}

await payments();
await business();
console.log("TypeScript: a charge, a transfer, a list and the errors of both APIs.");
