import { expect, it } from 'vitest';
import { findBinding } from '../../../src/infra/database/sqlite-driver.js';

const node20 = { platform: 'linux', arch: 'x64', node: '20.19.0', abi: '115' };
const node24 = { ...node20, node: '24.9.0', abi: '137' };
const mac = { ...node20, platform: 'darwin', arch: 'arm64' };

const CARRIED = '/causeway/dist/native/linux-x64-node20-abi115.node';
const carried = { version: '12.11.1', binaries: [{ machine: { ...node20, node: '20' }, path: CARRIED }] };

const INSTALLED = '/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const installed = { version: '12.11.1', folder: '/app/node_modules/better-sqlite3' };

const loads = () => {};
const fails = () => {
  throw new Error('wrong ELF class');
};

it('prefers the binary that the package contains', () => {
  expect(findBinding({ machine: node20, carried, installed, load: loads })).toBe(CARRIED);
});

it.each([
  ['another Node.js', node24],
  ['another platform', mac],
])('uses the installed driver on %s', (_name, machine) => {
  expect(findBinding({ machine, carried, installed, load: loads })).toBe(INSTALLED);
});

it('uses the installed driver if the contained binary cannot be loaded, as with another C library', () => {
  const load = (path: string) => (path === CARRIED ? fails() : undefined);
  expect(findBinding({ machine: node20, carried, installed, load })).toBe(INSTALLED);
});

it('uses the driver of node_modules for a program that is not bundled', () => {
  expect(findBinding({ machine: node20, carried: null, installed, load: loads })).toBe(INSTALLED);
});

it('names the machine, the contained binaries and the command that helps', () => {
  expect(() => findBinding({ machine: node24, carried, installed: null, load: loads })).toThrow(
    `no driver for SQLite fits linux-x64 with Node.js 24.9.0 (ABI 137)
  Causeway contains better-sqlite3 12.11.1 for linux-x64 with Node.js 20 (ABI 115)
  start Causeway on one of these, or run \`npm install better-sqlite3@12.11.1\` in the folder where Causeway is installed, which downloads or compiles the driver`,
  );
});

it('refuses an installed driver of another version, and names both versions', () => {
  const other = { ...installed, version: '11.0.0' };
  const find = () => findBinding({ machine: node24, carried, installed: other, load: loads });
  expect(find).toThrow('/app/node_modules/better-sqlite3 has version 11.0.0');
  expect(find).toThrow('npm install better-sqlite3@12.11.1');
});

it('says why an installed driver cannot be loaded, and to rebuild it', () => {
  const find = () => findBinding({ machine: node24, carried, installed, load: fails });
  expect(find).toThrow(`${INSTALLED} cannot be loaded: wrong ELF class`);
  expect(find).toThrow('npm rebuild better-sqlite3');
});
