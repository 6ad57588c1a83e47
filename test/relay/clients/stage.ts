import { expect } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { type Line, layLine } from '../../harness/line.js';
import { freePort } from '../../harness/ports.js';
import { type SelfHosted, startSelfHosted, untilBox } from '../../harness/self-hosted.js';

/** How long bots are not told that a box is away, in milliseconds (docs/relay.md, R-42). */
const UNTOLD_MS = 3_000;

/** At least as long as a box ever waits before it dials again, in milliseconds. */
const DIALS_WITHIN_MS = 60_000;

/** A cloud and a box whose clocks stand still, and a way between them that a test can cut; bots have a way of their own. */
export interface Stage extends SelfHosted {
  /** The cloud's. */
  clock: ManualClock;
  /** Cuts the box off; resolves once the cloud has noticed. */
  cutOff(): Promise<void>;
  /** Cuts the box off for so long that bots are told. */
  goAway(): Promise<void>;
  /** Resolves once the box is connected again. */
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

/** A guild as a database, or a library, has it: ids in order. */
export interface Known {
  name: string;
  channels: string[];
  roles: string[];
  members: string[];
}

/** A guild as the box has it. */
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

/** Ids as text, in order. */
export function inOrder(things: Iterable<{ id: bigint | string }>): string[] {
  return [...things].map(({ id }) => String(id)).toSorted();
}
