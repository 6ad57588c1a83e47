import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Entrypoint {
  mount?(http: FastifyInstance): Promise<void> | void;
  /** By path, for an entry point on the shared listener. */
  upgrades?: Record<string, UpgradeHandler>;
  /** Called before the server listens. */
  prepare?(): Promise<void>;
  /** Resolves when its connections are closed or given up. Other entry points still serve. */
  drain?(): Promise<void>;
  /**
   * Called when this process no longer serves anything else. Resolves when its connections are closed or given up.
   * @param until the time limit, from `performance.now()`
   */
  leave?(until: number): Promise<void>;
}
