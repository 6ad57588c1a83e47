import { expect, it } from 'vitest';
import { readableLog } from '../harness/log.js';
import { createApplication, createGuild, install, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { startServer } from '../harness/server.js';

it('a client that disconnects while it sends causes no server error', async () => {
  const { log, lines } = readableLog();
  const server = await startServer({ log });
  const ada = await signUp(server, 'ada');
  const bot = await createApplication(ada);
  const guild = await createGuild(ada);
  await install(ada, bot, guild);
  const person = `Bearer ${ada.token}`;
  const messages = `/api/v10/channels/${guild.textChannelId}/messages`;
  const requests = [
    ['/api/v10/oauth2/token', 'application/x-www-form-urlencoded', ''],
    ['/oauth2/authorize', 'application/x-www-form-urlencoded', person],
    ['/auth/sign-in/email', 'application/json', ''],
    ['/graphql', 'application/json', person],
    ['/graphql', 'multipart/form-data; boundary=q', person],
    [messages, 'application/json', `Bot ${bot.botToken}`],
    [messages, 'multipart/form-data; boundary=q', `Bot ${bot.botToken}`],
  ] as const;
  for (const [path, type, authorization] of requests) {
    const connection = await RawConnection.begin(server, { path, type, authorization });
    connection.write('--q', 'the beginning');
    connection.socket.destroy();
    await connection.closed;
  }
  await server.stop();
  expect(lines).toEqual([]);
});
