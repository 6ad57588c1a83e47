import { expect, test } from 'vitest';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { destination, namedPermissions } from '../../../src/oauth/screen/words.js';

test('permissions have names, the most dangerous first', () => {
  const bits = Permission.SendMessages | Permission.Administrator | Permission.ManageGuildExpressions;
  expect(namedPermissions(bits)).toEqual([
    { bit: Permission.Administrator, text: 'Administrator' },
    { bit: Permission.ManageGuildExpressions, text: 'Manage emoji, stickers and sounds' },
    { bit: Permission.SendMessages, text: 'Send messages' },
  ]);
  expect(namedPermissions(0n)).toEqual([]);
  expect(namedPermissions(ALL_PERMISSIONS).reduce((all, { bit }) => all | bit, 0n)).toBe(ALL_PERMISSIONS);
});

test('a redirect URI is shortened to the part that identifies its destination', () => {
  expect(destination('https://a.example/x').text).toBe('<bdi>https://a.example</bdi>');
  expect(destination('http://localhost:1/x').text).toBe('<bdi>http://localhost:1</bdi>');
  expect(destination('com.example.app:/x').text).toContain('<bdi>com.example.app:</bdi>');
});
