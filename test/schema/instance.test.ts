import { expect, it } from 'vitest';
import { askGraphql } from '../harness/graphql.js';
import { startServer } from '../harness/server.js';

it('the instance shows its public URLs to unauthenticated callers', async () => {
  const server = await startServer({ env: { PUBLIC_URL: 'https://chat.example' } });
  const here = { ...server, origin: server.app.addresses.listeningAt };
  const { data, errors } = await askGraphql(here, '{ instance { publicUrl restUrl gatewayUrl } }');
  expect(errors).toEqual([]);
  const { instance } = data ?? {};
  expect(instance).toEqual({
    publicUrl: 'https://chat.example',
    restUrl: 'https://chat.example/api',
    gatewayUrl: 'wss://chat.example/gateway',
  });
  const asked = await fetch(`${here.origin}/api/v10/gateway`);
  expect(await asked.json()).toEqual({ url: instance.gatewayUrl });
  await server.stop();
});
