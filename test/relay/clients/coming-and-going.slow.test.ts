import { afterEach, expect, it } from 'vitest';
import { Random } from '../../conversation/caches/random.js';
import { createApplication, install, type MadeGuild, sendMessage } from '../../harness/people.js';
import { changeMuch } from './absence.js';
import { openStage, type Stage, storedGuild } from './stage.js';
import { openDiscordJs, openEris, openOceanic, type StockClient } from './stock-clients.js';

const ROUNDS = 6;
const SEED = 2;

let stage: Stage | undefined;
let clients: StockClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await stage?.stop();
});

it('while a box comes and goes, clients get events once and in order, and cache the current state of their server', async () => {
  const random = new Random(SEED);
  const open = await openStage();
  stage = open;
  const guild = await open.makeGuild();
  const bot = await createApplication(open.owner, 'Lamplighter');
  await install(open.owner, bot, guild, { permissions: '8' });
  const login = { origin: open.cloud.origin, token: bot.botToken };
  clients = [await openDiscordJs(login), await openOceanic(login), await openEris(login)];

  let sent = 0;
  /** Messages during short absences. Clients must get all of them. */
  const heardByAll: number[] = [];
  const speak = async () => {
    sent += 1;
    await sendMessage(open.keeper, guild.textChannelId, String(sent));
  };
  let doing: Promise<void> = Promise.resolve();
  const doSomething = () => {
    doing = doing.then(somethingToDo);
    return doing;
  };
  const somethingToDo = async () => {
    const count = random.below(4);
    for (let n = 0; n < count; n += 1) await speak();
    if (random.chance(0.4)) await changeMuch(open, guild);
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const isLong = random.chance(0.5);
    const sentBefore = sent;
    const busy = doSomething();
    await (isLong ? goAway(open, guild) : open.cutOff());
    await Promise.all([busy, doSomething()]);
    await Promise.all([open.comeBack(), doSomething()]);
    if (isLong) {
      await shownAgain(guild);
      continue;
    }
    if (sent > sentBefore) await allHear(String(sent));
    for (let number = sentBefore + 1; number <= sent; number += 1) heardByAll.push(number);
  }
  await sendMessage(open.keeper, guild.textChannelId, 'the end');
  const stored = await storedGuild(open, guild);
  for (const { told, cached } of clients) {
    await told.until('message the end');
    expect(cached(guild.id)).toEqual(stored);
    const numbers = told.entries.flatMap((entry) => (/^message \d+$/.test(entry) ? [Number(entry.slice(8))] : []));
    expect(numbers).toEqual(expect.arrayContaining(heardByAll));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  }
}, 120_000);

const countOf = ({ told }: StockClient, entry: string) => told.entries.filter((one) => one === entry).length;

/** Waits until all clients got this. The clock of the cloud advances, because the cloud reads permissions again. */
async function allHear(text: string): Promise<void> {
  const isHeard = () => {
    stage?.clock.advance(250);
    return clients.every(({ told }) => told.entries.includes(`message ${text}`));
  };
  await expect.poll(isHeard, { timeout: 20_000 }).toBe(true);
}

async function goAway(open: Stage, { id }: MadeGuild): Promise<void> {
  const before = clients.map((client) => countOf(client, `unavailable ${id}`));
  await open.goAway();
  await expect
    .poll(() => clients.map((client) => countOf(client, `unavailable ${id}`)), { timeout: 20_000 })
    .toEqual(before.map((count) => count + 1));
}

async function shownAgain({ id }: MadeGuild): Promise<void> {
  await expect
    .poll(() => clients.map((client) => countOf(client, `available ${id}`)), { timeout: 20_000 })
    .toEqual(clients.map((client) => countOf(client, `unavailable ${id}`)));
}
