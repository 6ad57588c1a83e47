import { expect, it } from 'vitest';
import { signUp } from '../harness/people.js';
import { startServer } from '../harness/server.js';

it('the instance says where programs reach it', async () => {
  const server = await startServer({ env: { PUBLIC_URL: 'https://chat.example' } });
  const here = { ...server, origin: server.app.addresses.listeningAt };
  const ada = await signUp(here, 'ada');
  const { instance } = await ada.graphql('{ instance { publicUrl restUrl gatewayUrl } }');
  expect(instance).toEqual({
    publicUrl: 'https://chat.example',
    restUrl: 'https://chat.example/api',
    gatewayUrl: 'wss://chat.example/gateway',
  });
  const asked = await fetch(`${here.origin}/api/v10/gateway`);
  expect(await asked.json()).toEqual({ url: instance.gatewayUrl });
  await server.stop();
});
