import { once } from 'node:events';
import { globalAgent } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { SELF_SIGNED } from '../harness/certificates.js';

/** Terminates TLS in front of the server at `origin`. `node:https` trusts and reaches it by default. */
export async function startTlsFront(origin: string): Promise<{ stop(): void }> {
  const front = createServer(SELF_SIGNED, (client) => {
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
