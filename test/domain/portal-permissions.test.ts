import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APPLICATION_PERMISSIONS, PORTAL_ROLES, TEAM_PERMISSIONS } from '../../src/domain/portal-permissions.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/permissions.md'), 'utf8');

const ROLE_WORDS = { OWNER: 'owner', ADMIN: 'admin', DEVELOPER: 'developer', READ_ONLY: 'read-only' };

function tableUnder(heading: string): Record<string, string[]> {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(
    rows.map((cells) => [cells[1]?.replaceAll('`', ''), head.filter((_, index) => cells[index] === 'yes')]),
  );
}

describe('the page on permissions', () => {
  it.each([
    ['Applications', APPLICATION_PERMISSIONS],
    ['Teams', TEAM_PERMISSIONS],
  ])('has the same table as the domain for %s', (heading, permissions) => {
    const inWords = Object.entries(permissions).map(([operation, roles]) => [
      operation,
      PORTAL_ROLES.filter((role) => roles.includes(role)).map((role) => ROLE_WORDS[role]),
    ]);
    expect(tableUnder(heading)).toEqual(Object.fromEntries(inWords));
  });
});

describe('the roles of the service description', () => {
  const may = (role: (typeof PORTAL_ROLES)[number], permissions: Record<string, readonly string[]>) =>
    Object.keys(permissions).filter((operation) => permissions[operation]?.includes(role));

  it('owner: manages the team, including the transfer of ownership; everything with applications', () => {
    expect(may('OWNER', TEAM_PERMISSIONS)).toEqual(Object.keys(TEAM_PERMISSIONS).filter((name) => name !== 'leave'));
    expect(may('OWNER', APPLICATION_PERMISSIONS)).toEqual(Object.keys(APPLICATION_PERMISSIONS));
  });

  it('admin: manages members and testers, but cannot delete the app', () => {
    expect(may('ADMIN', TEAM_PERMISSIONS)).toEqual(
      Object.keys(TEAM_PERMISSIONS).filter((name) => !['transferOwnership', 'delete'].includes(name)),
    );
    expect(may('ADMIN', APPLICATION_PERMISSIONS)).toEqual(
      Object.keys(APPLICATION_PERMISSIONS).filter((name) => name !== 'delete'),
    );
  });

  it('developer: manages settings and secrets, but not the team, testers, transfer or deletion', () => {
    expect(may('DEVELOPER', TEAM_PERMISSIONS)).toEqual(['view', 'viewAuditLog', 'leave']);
    expect(may('DEVELOPER', APPLICATION_PERMISSIONS)).toEqual(
      expect.arrayContaining(['updateSettings', 'resetClientSecret', 'resetBotToken']),
    );
    for (const operation of ['manageTesters', 'transfer', 'delete']) {
      expect(may('DEVELOPER', APPLICATION_PERMISSIONS)).not.toContain(operation);
    }
  });

  it('read-only: can only view', () => {
    expect(may('READ_ONLY', TEAM_PERMISSIONS)).toEqual(['view', 'viewAuditLog', 'leave']);
    expect(may('READ_ONLY', APPLICATION_PERMISSIONS)).toEqual([
      'view',
      'viewTesters',
      'viewAuditLog',
      'viewInteractions',
    ]);
  });
});
