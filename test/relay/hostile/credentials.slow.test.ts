import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayClient } from '../../harness/gateway-client.js';
import { type HostileScene, openHostile } from '../../harness/hostile.js';
import { ask } from '../../harness/rest.js';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostile();
});
afterAll(() => scene.stop());

const REFUSAL = JSON.stringify({ message: 'no', code: 50_013 });

function answerAll(box: HostileScene['box'], frames: Buffer[]): void {
  box.relay.socket.on('message', (data: Buffer, isBinary) => {
    frames.push(data);
    if (isBinary) return;
    const { op, id } = JSON.parse(data.toString());
    if (op === 'request') box.relay.send({ op: 'response', id, status: 403, headers: {}, body: REFUSAL.length });
    if (op === 'request') box.relay.sendBody(id, REFUSAL);
    if (op === 'call') box.relay.send({ op: 'response', id, status: 404, headers: {}, body: 0 });
  });
}

it('R-20, R-28: no credential of a bot or a webhook reaches a box, whatever the bot does', async () => {
  await scene.begin();
  const frames: Buffer[] = [];
  answerAll(scene.box, frames);
  const { bot, guild, box, server } = scene;
  const [channel] = guild.channels;
  const { app } = server;
  const hook = 'WH.abcdefgh.averysecrettokenofawebhook';
  const row = {
    id: app.nextId(),
    applicationId: bot.bot.id,
    guildId: BigInt(guild.id),
    channelId: BigInt(channel ?? ''),
  };
  const { tokenHash } = await app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(scene.webhook.id) } });
  const [, prefix = '', secret = ''] = scene.webhook.token.split('.');
  const creatorId = bot.bot.owner.id;
  const of = { ...row, name: 'Hook', tokenHash, tokenPrefix: prefix, tokenLast4: secret.slice(-4), creatorId };
  await app.db.writer.webhook.create({ data: of });
  const path = `/webhooks/${row.id}/${scene.webhook.token}`;
  const message = `/channels/${channel}/messages`;
  const headers = { cookie: 'session=hidden', 'x-super-properties': 'hidden', referer: `https://a.example/${hook}` };
  const done = [
    await bot.ask('GET', `/guilds/${guild.id}?token=x`, { headers }),
    await bot.ask('POST', message, { json: { content: 'x' }, headers }),
    await bot.ask('PATCH', `${message}/${box.nextId()}`, { json: { content: 'x' } }),
    await bot.delete(`${message}/${box.nextId()}`),
    await bot.put(`${message}/${box.nextId()}/reactions/x/@me`),
    await bot.post(`/channels/${channel}/typing`, {}),
    await ask(server, 'POST', `${path}?wait=true`, { json: { content: 'x' }, headers }),
    await ask(server, 'PATCH', `${path}/messages/${box.nextId()}`, { json: { content: 'x' } }),
    await ask(server, 'DELETE', `${path}/messages/${box.nextId()}`),
  ];
  expect(done.map(({ status }) => status)).toEqual(Array(9).fill(403));
  const gateway = await GatewayClient.open(server.origin);
  gateway.identify(bot.bot.token);
  await gateway.event('READY');
  await gateway.close();
  expect(frames.length).toBeGreaterThan(9);
  const all = Buffer.concat(frames).toString();
  const [, , ofBot = ''] = bot.bot.token.split('.');
  const { owner } = bot.bot;
  for (const hidden of [
    bot.bot.token,
    ofBot,
    scene.webhook.token,
    secret,
    tokenHash,
    'hidden',
    hook,
    'authorization',
    String(owner.id),
  ]) {
    expect(all.toLowerCase()).not.toContain(hidden.toLowerCase());
  }
});

it('R-27: a box that answers nothing delays no bot in other guilds', async () => {
  await scene.begin();
  const { bot, server, cloudGuild } = scene;
  const gateway = await GatewayClient.open(server.origin);
  gateway.identify(bot.bot.token);
  await gateway.event('READY');
  await gateway.close();
  const answer = await bot.get(`/guilds/${cloudGuild.id}`);
  expect([200, 403]).toContain(answer.status);
});
