import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ask, stop } from '../processes.js';
import { atEnd } from '../scratch.js';

/** The credentials of an enrolled box. */
export interface LightBox {
  /** 32 bytes in base64url. */
  publicKey: string;
  /** PKCS #8 in base64. */
  privateKey: string;
}

export interface Dialling {
  /** The cloud's origin, as the cloud states it. */
  origin: string;
  boxes: LightBox[];
}

/** Many boxes without data in a child process. Each runs the handshake and announces one server. */
export interface LightBoxes {
  /**
   * Connects all boxes together.
   * @returns seconds until the cloud has acknowledged the last server
   */
  dial(dialling: Dialling): Promise<number>;
  stop(): Promise<void>;
}

export function startLightBoxes(): LightBoxes {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'child.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  atEnd(() => stop(child));
  return { dial: (dialling) => ask<number>(child, dialling), stop: () => stop(child) };
}
