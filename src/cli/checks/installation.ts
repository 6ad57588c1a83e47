import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, readManifest } from '../../infra/package-root.js';
import { type Check, type CheckName, messageOf } from './check.js';

export function checkNode(): Check {
  const { node: needed } = readManifest().engines;
  const found = process.versions.node;
  const isNewEnough = found.localeCompare(needed.replace('>=', ''), 'en', { numeric: true }) >= 0;
  if (isNewEnough) return { name: 'node', status: 'ok', message: `Node.js ${found}` };
  return {
    name: 'node',
    status: 'error',
    message: `Node.js ${found} is too old`,
    advice: `Use Node.js ${needed}.`,
  };
}

export async function checkSqlite(): Promise<Check> {
  try {
    const { nativeBinding } = await import('../../infra/database/sqlite-driver.js');
    return { name: 'sqlite', status: 'ok', message: nativeBinding() };
  } catch (error) {
    return { name: 'sqlite', status: 'error', message: messageOf(error) };
  }
}

export function checkSharp(): Promise<Check> {
  return checkPackage('images', 'sharp', () => import('sharp'));
}

export function checkArgon2(): Promise<Check> {
  return checkPackage('passwords', '@node-rs/argon2', () => import('@node-rs/argon2'));
}

async function checkPackage(name: CheckName, packageName: string, load: () => Promise<unknown>): Promise<Check> {
  try {
    await load();
    return { name, status: 'ok', message: `${packageName} is loaded` };
  } catch (error) {
    return {
      name,
      status: 'error',
      message: `${packageName} cannot be loaded: ${messageOf(error)}`,
      advice: `Install Causeway again on this machine, with optional packages: npm install --include=optional`,
    };
  }
}

export function checkPortal(): Check {
  const file = join(packageRoot(), 'dist/pages/index.html');
  if (existsSync(file)) return { name: 'portal', status: 'ok', message: 'the portal is built' };
  return { name: 'portal', status: 'error', message: `${file} is missing`, advice: 'Run `npm run build`.' };
}
