import { type BoxConfig, RefusedByCloud, StartError } from '../../config.js';
import type { AppContext } from '../../context.js';
import type { Entrypoint } from '../../entrypoint.js';
import type { Clock } from '../../infra/clock.js';
import type { Database } from '../../infra/database/index.js';
import type { Logger } from '../../infra/observability/logger.js';
import { dialRelay } from '../ws-adapter.js';
import { enrol } from './enrol.js';
import { EventFeed } from './event-feed.js';
import { BoxIdentity, type Enrolment, holdsBox } from './identity.js';
import { isOnThisMachine } from './origins.js';
import { type Dial, Uplink } from './uplink.js';
import { type Perform, Work } from './work.js';

export type { BoxIdentity } from './identity.js';
export type { Perform } from './work.js';
export { type Dial, dialRelay };

export interface EnteredBox {
  identity: BoxIdentity;
  enrolment: Enrolment;
  isAlone: boolean;
}

export interface EnterParts {
  box: BoxConfig;
  dataDir: string;
  db: Database;
  clock: Clock;
  log: Logger;
}

/**
 * Enrols the box if necessary, which waits for the cloud.
 * @throws {StartError} if the data belongs to no box or to another cloud, or if the cloud refuses the box
 */
export async function enterBox({ box, dataDir, db, clock, log }: EnterParts): Promise<EnteredBox> {
  if (!holdsBox(dataDir) && (await db.reader.authUser.findFirst({ select: { id: true } }))) {
    throw new StartError(
      `the data in ${dataDir} belongs to an instance that is not a box: use another DATA_DIR for the box`,
    );
  }
  const identity = BoxIdentity.open(dataDir, box);
  const isAlone = box.cloudUrl === null;
  const { enrolment } = identity;
  if (enrolment && (isAlone || !identity.needsEnrolment)) return { identity, enrolment, isAlone };
  if (!enrolment && !identity.hasToken) {
    throw new StartError(
      `for the first start, set BOX_TOKEN to an enrolment token of ${identity.cloudUrl}: create one with createBox`,
    );
  }
  return { identity, enrolment: await enrol({ identity, token: box.token, clock, log }), isAlone };
}

/** @throws {StartError} if the folder belongs to a box */
export function requireNoBox(dataDir: string): void {
  if (holdsBox(dataDir))
    throw new StartError(`DATA_DIR ${dataDir} belongs to a box: start it with \`npm run box\` or \`causeway box\``);
}

/** Bots fetch files directly from the box. */
function warnOfFiles(publicUrl: string, cloudUrl: string, log: Logger): void {
  if (!isOnThisMachine(publicUrl) || isOnThisMachine(cloudUrl)) return;
  log.warn(
    `Bots on other machines cannot download the files of this box from ${publicUrl}; set PUBLIC_URL to an address that they can reach`,
  );
}

export interface UplinkEntrypoint extends Pick<Entrypoint, 'drain'> {
  start(): void;
  readonly isConnected: boolean;
  /** Resolves if the cloud refuses the box permanently. */
  refused: Promise<RefusedByCloud>;
}

export interface BoxParts extends EnteredBox {
  perform: Perform;
  /** Like `Math.random`. */
  random?: (() => number) | undefined;
  dial?: Dial | undefined;
}

export function createUplink(
  app: AppContext,
  { identity, enrolment, perform, random = Math.random, dial = dialRelay }: BoxParts,
): UplinkEntrypoint {
  const { connectionClock: clock, log } = app;
  const { idSpace } = enrolment;
  let refuse: (error: RefusedByCloud) => void;
  const refused = new Promise<RefusedByCloud>((resolve) => {
    refuse = resolve;
  });
  const feed = new EventFeed({
    reader: app.db.reader,
    idSpace,
    log,
    onAppended: () => uplink.pump(),
    onOverflow: () => uplink.restart(),
  });
  const uplink = new Uplink({
    identity,
    work: new Work(app, { idSpace, perform }),
    feed,
    clock,
    log,
    dial,
    random,
    onRefused: (reason) => refuse(new RefusedByCloud(reason)),
  });
  app.bus.tap((message) => feed.hear(message));
  return {
    start() {
      warnOfFiles(app.addresses.publicUrl, identity.cloudUrl, log);
      uplink.start();
    },
    drain: () => uplink.drain(),
    get isConnected() {
      return uplink.isConnected;
    },
    refused,
  };
}
