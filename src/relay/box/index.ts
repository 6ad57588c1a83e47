import { type BoxConfig, RefusedByCloud, StartError } from '../../config.js';
import type { AppContext } from '../../context.js';
import type { Heard } from '../../domain/bus-message.js';
import type { Face } from '../../face.js';
import type { Clock } from '../../infra/clock.js';
import type { Database } from '../../infra/database/index.js';
import type { Logger } from '../../infra/logger.js';
import { dialRelay } from '../ws-adapter.js';
import { enrol } from './enrol.js';
import { EventFeed } from './event-feed.js';
import { BoxIdentity, type Enrolment, holdsBox } from './identity.js';
import { isOnThisMachine } from './origins.js';
import { Uplink } from './uplink.js';
import { type Perform, Work } from './work.js';

export type { BoxIdentity } from './identity.js';
export type { Perform } from './work.js';

/** A box, as far as its cloud knows it. */
export interface EnteredBox {
  identity: BoxIdentity;
  enrolment: Enrolment;
  /** Whether it goes on without its cloud. */
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
 * Finds out which box the instance is, and has it enrolled where it never was; it waits for its cloud then.
 * @throws {StartError} for data that are no box's or another cloud's, and when the cloud refuses it
 */
export async function enterBox({ box, dataDir, db, clock, log }: EnterParts): Promise<EnteredBox> {
  if (!holdsBox(dataDir) && (await db.reader.authUser.findFirst({ select: { id: true } }))) {
    throw new StartError(
      `the data of ${dataDir} belong to an instance that is no box, and cannot become one: name another DATA_DIR`,
    );
  }
  const identity = BoxIdentity.open(dataDir, box);
  const isAlone = box.cloudUrl === null;
  const { enrolment } = identity;
  if (enrolment && (isAlone || !identity.needsEnrolment)) return { identity, enrolment, isAlone };
  if (!enrolment && !identity.hasToken) {
    throw new StartError(
      `the first start needs an enrolment token of ${identity.cloudUrl} as BOX_TOKEN: createBox gives one`,
    );
  }
  return { identity, enrolment: await enrol({ identity, token: box.token, clock, log }), isAlone };
}

/** @throws {StartError} for a folder that belongs to a box, whose ids an instance that is none would not make */
export function requireNoBox(dataDir: string): void {
  if (holdsBox(dataDir)) throw new StartError(`DATA_DIR ${dataDir} belongs to a box: start it with npm run box`);
}

/** Bots fetch the files of a box from the box itself. */
function warnOfFiles(publicUrl: string, cloudUrl: string, log: Logger): void {
  if (!isOnThisMachine(publicUrl) || isOnThisMachine(cloudUrl)) return;
  log.warn(
    `bots elsewhere cannot fetch the files of this box from ${publicUrl}: set PUBLIC_URL to an address that they reach`,
  );
}

/** The box's end of the control channel. */
export interface UplinkFace extends Pick<Face, 'drain'> {
  /** Dials from here on. */
  start(): void;
  /** Whether a connection serves. */
  readonly isConnected: boolean;
  /** Settles when the cloud takes this box no more, with what somebody has to do. */
  refused: Promise<RefusedByCloud>;
}

export interface BoxParts extends EnteredBox {
  perform: Perform;
  /** From 0 to below 1. */
  random?: (() => number) | undefined;
  /** Has somebody hear all that is published on the bus. */
  tap(hear: (message: Heard) => void): void;
}

/** Connects a box to its cloud: it does what it is asked to, and tells what happens in its guilds (docs/relay.md). */
export function createUplink(
  app: AppContext,
  { identity, enrolment, perform, tap, random = Math.random }: BoxParts,
): UplinkFace {
  const { clock, log } = app;
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
    dial: dialRelay,
    random,
    onRefused: (reason) => refuse(new RefusedByCloud(reason)),
  });
  tap((message) => feed.hear(message));
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
