import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Takes over the socket of an HTTP upgrade. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** One way into the platform, mounted on the shared listener. */
export interface Face {
  /** Adds its HTTP routes. */
  mount?(http: FastifyInstance): Promise<void> | void;
  /** Paths (without a trailing slash) whose WebSocket upgrades it takes. */
  upgrades?: Record<string, UpgradeHandler>;
  /** Lets go of its connections while others are still served; settles when they are gone or were given up. */
  drain?(): Promise<void>;
}
