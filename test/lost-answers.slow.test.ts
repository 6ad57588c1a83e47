import { DiscordAPIError, REST } from '@discordjs/rest';
import { PermissionFlagsBits as Permission, Routes } from 'discord-api-types/v10';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres } from './harness/interleave.js';
import { type Line, layLine } from './harness/line.js';
import { openScene, type Scene } from './harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const INSERT_MESSAGE = 'INSERT INTO "Message"';

describe.skipIf(noPostgres)(needing(noPostgres, 'a write whose PostgreSQL server does not respond'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let line: Line;
  let server: TestServer;
  let scene: Scene;
  let rest: REST;
  const answered: number[] = [];

  beforeAll(async () => {
    database = await migratedDatabase();
    line = await layLine(database?.url ?? '', 5432);
    server = await startServer({ env: { DATABASE_URL: line.url } });
    scene = await openScene(server);
    rest = new REST({ api: `${server.origin}/api` }).setToken(scene.bot.bot.token);
    rest.on('response', (_, { status }) => answered.push(status));
    await scene.permit(
      Permission.ViewChannel | Permission.SendMessages | Permission.ReadMessageHistory | Permission.ManageGuild,
    );
    // Its credential and permissions are cached from here on.
    await scene.bot.post(scene.messages, { content: 'first' });
  });
  afterEach(() => {
    line.mend();
    answered.length = 0;
  });
  afterAll(async () => {
    await server?.stop();
    line?.close();
    await database?.drop();
  });

  const stored = (content: string) => server.app.db.reader.message.count({ where: { content } });

  it('is answered with 409 if the message was stored, and discord.js does not send it again', async () => {
    const withheld = line.withholdAnswers(INSERT_MESSAGE);
    const sent = rest.post(Routes.channelMessages(scene.channelId), { body: { content: 'once' } });
    const error = await sent.catch((fault: unknown) => fault);
    await withheld;
    line.mend();
    expect(error).toBeInstanceOf(DiscordAPIError);
    expect(error).toMatchObject({ status: 409, code: 0, message: expect.stringContaining('Check before') });
    expect(answered).toEqual([409]);
    await expect.poll(() => stored('once')).toBe(1);
  });

  it('is answered with 503 for an enforced nonce, and discord.js repeats it until it gets the one message', async () => {
    const withheld = line.withholdAnswers(INSERT_MESSAGE);
    rest.once('response', () => line.mend());
    const body = { content: 'with a nonce', nonce: '7', enforce_nonce: true };
    const message = await rest.post(Routes.channelMessages(scene.channelId), { body });
    await withheld;
    expect(message).toMatchObject({ content: 'with a nonce', nonce: '7' });
    expect(answered).toEqual([503, 200]);
    expect(await stored('with a nonce')).toBe(1);
  });

  it('is answered with 409 when the connection is lost after the statement was sent', async () => {
    void line.withholdAnswers(INSERT_MESSAGE).then(() => line.cut());
    const { status, headers } = await scene.bot.post(scene.messages, { content: 'cut off' });
    expect([status, headers.get('retry-after')]).toEqual([409, null]);
  });

  it('is answered with 409 when the answer to a COMMIT is lost, and 503 when that to an earlier statement is', async () => {
    const guild = `/guilds/${scene.guildId}`;
    const rename = (name: string) => scene.bot.patch(guild, { name });
    void line.withholdAnswers('COMMIT');
    expect((await rename('Committed')).status).toBe(409);
    line.mend();
    await expect.poll(async () => (await scene.bot.get(guild)).body.name).toBe('Committed');
    void line.withholdAnswers('UPDATE "public"."Guild"');
    expect((await rename('Rolled back')).status).toBe(503);
    line.mend();
    expect((await scene.bot.get(guild)).body.name).toBe('Committed');
  });

  it('differs from a read, which is answered with 503', async () => {
    void line.withholdAnswers('SELECT');
    const { status, headers } = await scene.bot.get(scene.messages);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('is cancelled by the server before its time limit, and answered with 503', async () => {
    const other = new pg.Client(database?.url);
    await other.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE "Message"');
    const { status } = await scene.bot.post(scene.messages, { content: 'cancelled' });
    await other.query('COMMIT');
    await other.end();
    expect(status).toBe(503);
    expect(await stored('cancelled')).toBe(0);
  });
});
