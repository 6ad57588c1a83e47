import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { operationForm, sendForm } from '../harness/forms.js';
import { holdCallers } from '../harness/held-callers.js';
import { createApplication, createGuild, install, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { ask, formOf } from '../harness/rest.js';
import { startServer } from '../harness/server.js';

/** Maximum of concurrent forms per sender. */
const FORMS = 5;

it('a form ends if its sender disconnects before authentication', async () => {
  const server = await startServer();
  const ada = await signUp(server, 'ada');
  const [application, guild] = [await createApplication(ada), await createGuild(ada)];
  await install(ada, application, guild);
  const messages = `/channels/${guild.textChannelId}/messages`;
  const authorization = `Bot ${application.botToken}`;

  const requests: IncomingMessage[] = [];
  const note = (message: unknown) => void requests.push((message as { request: IncomingMessage }).request);
  subscribe('http.server.request.start', note);
  const callers = holdCallers(server);

  for (const [path, credential] of [
    ['/graphql', `Bearer ${ada.token}`],
    [`/api/v10${messages}`, authorization],
  ]) {
    for (let n = 0; n < FORMS; n += 1) {
      const before = requests.length;
      const connection = await RawConnection.open(server);
      connection.write(
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        'Content-Type: multipart/form-data; boundary=q',
        'Content-Length: 1000',
        `Authorization: ${credential}`,
        '',
        '--q',
      );
      await expect.poll(() => requests.length).toBe(before + 1);
      connection.socket.destroy();
    }
  }
  await expect.poll(() => requests.filter(({ destroyed }) => destroyed).length).toBe(2 * FORMS);
  unsubscribe('http.server.request.start', note);
  callers.letGo();

  const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }';
  const variables = { input: { channelId: guild.textChannelId, content: 'hello' } };
  const overGraphql = async () => (await sendForm(server, ada, operationForm({ query, variables }, []))).errors;
  const overRest = async () =>
    (await ask(server, 'POST', messages, { form: formOf({ content: 'hello' }), headers: { authorization } })).status;
  await expect.poll(overGraphql, { timeout: 8_000 }).toEqual([]);
  await expect.poll(overRest, { timeout: 8_000 }).toBe(200);
  await server.stop();
});
