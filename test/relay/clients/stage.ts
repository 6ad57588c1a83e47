import { expect } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { type Line, layLine } from '../../harness/line.js';
import { freePort } from '../../harness/ports.js';
import { type SelfHosted, startSelfHosted, untilBox } from '../../harness/self-hosted.js';

/** Delay before bots learn that a box is away, in milliseconds (docs/relay.md, R-42). */
const UNTOLD_MS = 3_000;

/** Longest delay before a box connects again, in milliseconds. */
const DIALS_WITHIN_MS = 60_000;

/**
 * A cloud and a box with stopped clocks. A test can cut the connection between them; bots have a connection of their
 * own.
 */
export interface Stage extends SelfHosted {
  clock: ManualClock;
  /** Cuts off the box. Resolves once the cloud has noticed. */
  cutOff(): Promise<void>;
  /** Cuts off the box until bots are notified. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const clock = new ManualClock();
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const line: Line = await layLine(origin, port);
  const cloudUrl = new URL(line.url).origin;
  const boxClock = new ManualClock();
  const env = { PORT: String(port), PUBLIC_URL: cloudUrl, GATEWAY_PUBLIC_URL: origin.replace('http', 'ws') };
  const all = await startSelfHosted({ cloud: { clock, env }, box: { clock: boxClock }, way: () => cloudUrl });
  all.cloud.origin = origin;
  const { cloud, box, boxId } = all;

  const untilConnected = (isConnected: boolean) =>
    untilBox(cloud, boxId, async () => {
      const { holderId } = await cloud.app.db.reader.box.findUniqueOrThrow({ where: { id: BigInt(boxId) } });
      return (holderId !== null) === isConnected;
    });
  const missesCloud = async () => (await (await fetch(`${box.origin}/readyz`)).text()).includes('cloud');
  const cutOff = async () => {
    line.cut();
    await untilConnected(false);
    await expect.poll(missesCloud, { timeout: 10_000 }).toBe(true);
  };
  return {
    ...all,
    clock,
    cutOff,
    async goAway() {
      await cutOff();
      clock.advance(UNTOLD_MS);
    },
    async comeBack() {
      line.mend();
      if (await missesCloud()) boxClock.advance(DIALS_WITHIN_MS);
      await untilConnected(true);
    },
    async stop() {
      await all.stop();
      line.close();
    },
  };
}

/** A guild as stored or cached. Ids are sorted. */
export interface Known {
  name: string;
  channels: string[];
  roles: string[];
  members: string[];
}

export async function storedGuild({ box }: SelfHosted, { id }: { id: string }): Promise<Known> {
  const { reader } = box.app.db;
  const guildId = BigInt(id);
  const of = { where: { guildId } };
  const { name } = await reader.guild.findUniqueOrThrow({ where: { id: guildId } });
  return {
    name,
    channels: inOrder(await reader.channel.findMany({ ...of, select: { id: true } })),
    roles: inOrder(await reader.role.findMany({ ...of, select: { id: true } })),
    members: inOrder(
      (await reader.member.findMany({ ...of, select: { userId: true } })).map(({ userId: id }) => ({ id })),
    ),
  };
}

export function inOrder(things: Iterable<{ id: bigint | string }>): string[] {
  return [...things].map(({ id }) => String(id)).toSorted();
}
