import { generateKeyPairSync } from 'node:crypto';
import { readConfig } from '../src/config.js';
import { createServer } from '../src/server.js';
import type { LightBox } from './light-boxes/index.js';

/** The lowest id space of a box (docs/relay.md, R-15). */
const FIRST_ID_SPACE = 4_096;

/** Replaces the boxes in a cloud's tables with enrolled ones. The cloud must not be running. */
export async function putEnrolledBoxes(
  settings: { DATA_DIR: string; DATABASE_URL: string | undefined },
  count: number,
): Promise<LightBox[]> {
  const server = await createServer(readConfig({ PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error', ...settings }));
  await server.start();
  try {
    const { nextId, db } = server.app;
    const boxes = Array.from({ length: count }, makeKeys);
    const ownerId = nextId();
    await db.writer.boxGuild.deleteMany();
    await db.writer.box.deleteMany();
    await db.writer.user.create({ data: { id: ownerId, username: `owner.${ownerId}`, handle: `owner.${ownerId}` } });
    const row = ({ publicKey }: LightBox, index: number) => ({ publicKey, idSpace: FIRST_ID_SPACE + index });
    const data = boxes.map((box, index) => ({ id: nextId(), name: 'Light', ownerId, ...row(box, index) }));
    await db.writer.box.createMany({ data });
    return boxes;
  } finally {
    await server.stop();
  }
}

function makeKeys(): LightBox {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ format: 'jwk' }).x ?? '',
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  };
}
