import type { IncomingMessage } from 'node:http';
import type { AppContext } from '../../context.js';
import type { BoxDoor } from '../../domain/boxes/index.js';
import type { Face } from '../../face.js';
import { refuseUpgrade } from '../../http/upgrades.js';
import type { Bus } from '../../infra/bus.js';
import { isDoneWithin } from '../../infra/deadlines.js';
import type { Release } from '../../infra/slots.js';
import { closes } from '../protocol/closes.js';
import { createRelayAcceptor } from '../ws-adapter.js';
import { AnswerRoom } from './answer-room.js';
import { BoxesHere } from './boxes-here.js';
import { LineDoor } from './door.js';
import { Asker } from './far/asker.js';
import { Holder } from './far/holder.js';
import type { LineMessage } from './far/messages.js';
import { JoinedWrites } from './joined-writes.js';
import type { KnownBots } from './known-bots.js';
import type { BoxLines } from './lines.js';
import { LinesOfCloud } from './lines-of-cloud.js';
import { Newcomers } from './newcomers.js';
import { endConnectionsOf } from './process-end.js';
import { Reception } from './reception.js';

export { createDirectory } from './directory.js';
export type { LineMessage } from './far/messages.js';
export { BoxHome } from './home.js';
export { KnownBots } from './known-bots.js';

/** How long what is open may go on when the process is about to end, in milliseconds: a little less than the stop waits. */
const LEAVING_MS = 6_000;

/** After how long a box dials again when this process is about to end, in milliseconds: at random, so that not all come at once. */
const RETRY_MS = { least: 500, most: 5_000 };

/** The cloud's end of the relay, as docs/relay.md states it. */
export interface Relay {
  face: Face;
  lines: BoxLines;
  door: BoxDoor;
  /** Ends what boxes of a process that is over left behind. */
  endProcess(processId: string): Promise<void>;
  /** This process was taken for dead, and is not. */
  restate(): void;
}

/** @param bus between the processes; null for a process alone */
export function createRelay(app: AppContext, bots: KnownBots, bus: Bus<LineMessage> | null): Relay {
  const here = new BoxesHere(app);
  const room = new AnswerRoom();
  const asker = bus && new Asker(bus, app.clock, room);
  const lines = new LinesOfCloud({ app, here, asker, joined: new JoinedWrites(app.clock) });
  const holder = bus && new Holder({ bus, clock: app.clock, log: app.log, lineTo: (boxId) => lines.here(boxId) });
  const untilReachable = async () => holder?.listen(app.live.id);
  const reception = new Reception({ app, here, bots, room, untilReachable });
  return {
    face: createFace(app, reception, here),
    lines,
    door: new LineDoor(lines, app),
    endProcess: (processId) => endConnectionsOf(app, processId),
    restate: () => here.restate(),
  };
}

function createFace(app: AppContext, reception: Reception, here: BoxesHere): Face {
  const newcomers = new Newcomers(app.config.rateLimits);
  const counted = new WeakMap<IncomingMessage, Release>();
  const accept = createRelayAcceptor((outlet, request) => reception.serve(outlet, counted.get(request) ?? (() => {})));
  let isDraining = false;
  return {
    upgrades: {
      '/relay': (request, socket, head) => {
        if (isDraining) return refuseUpgrade(socket);
        const release = newcomers.take(app.clientAddress(request), socket);
        counted.set(request, release);
        socket.once('close', release);
        accept(request, socket, head);
      },
    },
    async drain() {
      isDraining = true;
      reception.close();
      here.leave();
      const leaving = here.all().map((connection) => connection.leave(retryAfterMs()));
      await isDoneWithin(LEAVING_MS, Promise.all(leaving));
      const ended = here.all().map((connection) => connection.finish(closes.goingAway));
      await isDoneWithin(PARTING_MS, Promise.all(ended));
    },
  };
}

/** How long boxes may take to answer a close, in milliseconds. */
const PARTING_MS = 500;

function retryAfterMs(): number {
  return Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
}
