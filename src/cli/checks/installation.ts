import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, readManifest } from '../../infra/package-root.js';
import { type Check, type CheckId, failure, messageOf, passed } from './check.js';

export function checkNode(): Check {
  const { node: needed } = readManifest().engines;
  const found = process.versions.node;
  const isNewEnough = found.localeCompare(needed.replace('>=', ''), 'en', { numeric: true }) >= 0;
  if (isNewEnough) return passed('node', `Node.js ${found}`);
  return failure('node', `Node.js ${found} is too old`, `Use Node.js ${needed}.`);
}

export async function checkSqlite(): Promise<Check> {
  try {
    const { nativeBinding } = await import('../../infra/database/sqlite-driver.js');
    return passed('sqlite', nativeBinding());
  } catch (error) {
    return failure('sqlite', messageOf(error));
  }
}

export function checkSharp(): Promise<Check> {
  return checkPackage('images', 'sharp', () => import('sharp'));
}

export function checkArgon2(): Promise<Check> {
  return checkPackage('passwords', '@node-rs/argon2', () => import('@node-rs/argon2'));
}

async function checkPackage(id: CheckId, packageName: string, load: () => Promise<unknown>): Promise<Check> {
  try {
    await load();
    return passed(id, `${packageName} is loaded`);
  } catch (error) {
    return failure(
      id,
      `${packageName} cannot be loaded: ${messageOf(error)}`,
      'Install Causeway again on this machine, with optional packages: npm install --include=optional',
    );
  }
}

export function checkPortal(): Check {
  const file = join(packageRoot(), 'dist/pages/index.html');
  if (existsSync(file)) return passed('portal', 'the portal is built');
  return failure('portal', `${file} is missing`, 'Run `npm run build`.');
}
