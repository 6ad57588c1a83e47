import { once } from 'node:events';
import { globalAgent } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

/** A key and a certificate for localhost that nobody trusts. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgf7GLPZQcFP7yS3m5
zLrie0IWHrxMstucD3bZUaerK8ShRANCAAQIMDJuU5p+FaRG0sfS0b4ulMtMwVR8
yaumpezqvGPWq3wmFMf0AyEd0FJsHmMJwMYCw5AnQBLtH40cK7hGuKCX
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUUl20mH7u/M5D8iZ22X+4DCouf54wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4NDg0NFoYDzIxMjYxMDI4
MDg0ODQ0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQIMDJuU5p+FaRG0sfS0b4ulMtMwVR8yaumpezqvGPWq3wmFMf0AyEd
0FJsHmMJwMYCw5AnQBLtH40cK7hGuKCXo1MwUTAdBgNVHQ4EFgQUCHFnucVzuZGZ
Be59OAfnZ+VkZnowHwYDVR0jBBgwFoAUCHFnucVzuZGZBe59OAfnZ+VkZnowDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiA288rwS+X0Xe84emENat4q
oc6kNwz+JHSDKAITsafW6gIgCnvU1+Jnfc0V/ADW+aK/FTQTdyF2lQTT9anPLZBf
EUU=
-----END CERTIFICATE-----`;

/** Ends TLS in front of the server at `origin`, and makes it what `node:https` reaches by default. */
export async function startTlsFront(origin: string): Promise<{ stop(): void }> {
  const front = createServer({ key, cert }, (client) => {
    const inner = connect(Number(new URL(origin).port), 'localhost');
    client.pipe(inner).pipe(client);
    client.on('error', () => inner.destroy());
    inner.on('error', () => client.destroy());
  });
  await once(front.listen(0), 'listening');
  const { port } = front.address() as AddressInfo;
  const before = { port: Reflect.get(globalAgent, 'defaultPort'), options: { ...globalAgent.options } };
  Object.assign(globalAgent, { defaultPort: port });
  globalAgent.options.rejectUnauthorized = false;
  return {
    stop() {
      Object.assign(globalAgent, { defaultPort: before.port, options: before.options });
      front.close();
    },
  };
}
