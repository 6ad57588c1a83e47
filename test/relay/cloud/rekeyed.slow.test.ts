import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, startBox } from '../../harness/box.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  signUp,
} from '../../harness/people.js';
import { type SelfHosted, startSelfHosted, untilBox } from '../../harness/self-hosted.js';

let all: SelfHosted;
let guild: MadeGuild;
let bot: MadeApplication;
let dataDir: string;
beforeAll(async () => {
  dataDir = await emptyFolder();
  all = await startSelfHosted();
  guild = await all.makeGuild();
  bot = await createApplication(all.owner, 'Lamplighter');
  await install(all.owner, bot, guild, { permissions: '8' });
});
afterAll(async () => {
  await all.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('R-31: a box that is enrolled again with an empty folder removes no servers: they are out of reach', async () => {
  const session = await GatewayClient.open(all.cloud.origin);
  await session.ready(bot.botToken);
  await all.box.stop();
  expect((await session.event('GUILD_DELETE')).d).toEqual({ id: guild.id, unavailable: true });
  const query = 'mutation ($id: ID!) { newEnrolmentToken(input: { boxId: $id }) { enrolmentToken } }';
  const { enrolmentToken: token } = (await all.owner.graphql(query, { id: all.boxId })).newEnrolmentToken;
  const box = await startBox({ cloudUrl: all.cloud.origin, token, dataDir });
  try {
    // Its event comes after all announcements of the box.
    const other = await createGuild(await signUp(box, 'other'));
    const { app } = all.cloud;
    await untilBox(all.cloud, all.boxId, async () => (await app.boxRoutes.ofGuild(BigInt(other.id))) !== null);
    const late = await GatewayClient.open(all.cloud.origin);
    late.identify(bot.botToken);
    expect((await late.event('READY')).d.guilds).toEqual([{ id: guild.id, unavailable: true }]);
    expect((await late.event('GUILD_DELETE')).d).toEqual({ id: guild.id, unavailable: true });
    const { box: shown } = await all.owner.graphql('query ($id: ID!) { box(id: $id) { guilds { id name } } }', {
      id: all.boxId,
    });
    expect(shown.guilds).toContainEqual({ id: guild.id, name: guild.name });
    expect(await app.db.reader.installation.count({ where: { guildId: BigInt(guild.id) } })).toBe(1);
    expect(session.frames.filter(({ t, d }) => t === 'GUILD_DELETE' && !d.unavailable)).toEqual([]);
    await Promise.all([session.close(), late.close()]);
  } finally {
    await box.stop();
  }
});
