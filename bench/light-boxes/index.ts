import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ask, stop } from '../processes.js';
import { atEnd } from '../scratch.js';

/** A box that was enrolled, as much of it as it takes to dial. */
export interface LightBox {
  /** 32 bytes in base64url. */
  publicKey: string;
  /** PKCS #8 in base64. */
  privateKey: string;
}

export interface Dialling {
  /** Of the cloud, as it calls itself. */
  origin: string;
  boxes: LightBox[];
}

/** Many boxes without data in a process of their own: they greet, announce one server each and say nothing more. */
export interface LightBoxes {
  /** All dial at once. @returns seconds until the last of them was told that its server is known */
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
