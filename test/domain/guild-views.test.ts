import { afterAll, beforeAll, expect, it } from 'vitest';
import { addMember, createGuild, createPerson } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Lets no bus subscription that begins from now on be ready before the answer is called. */
function holdSubscriptions(): () => void {
  const { bus } = server.app;
  const subscribe = bus.subscribe;
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  bus.subscribe = (topic, handler) => ({ ...subscribe(topic, handler), ready: held });
  return () => {
    bus.subscribe = subscribe;
    release();
  };
}

it('reads a guild and its members only once their changes are heard of: what changes before is seen', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const person = await createPerson(app);
  const release = holdSubscriptions();
  const member = app.guilds.member(guild.id, person.id);
  const view = app.guilds.guild(guild.id);
  await addMember(app, guild.id, person, 'heron');
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 8n } });
  release();
  expect((await member)?.nick).toBe('heron');
  expect((await view)?.rolePermissions.get(guild.id)).toBe(8n);
});
