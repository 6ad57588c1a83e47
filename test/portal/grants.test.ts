import { describe, expect, it } from 'vitest';
import { allChannels, effectText, type Grant } from '../../portal/src/pages/servers/integrations/grants.js';

const SERVER = {
  id: '100',
  roles: [
    { id: '100', name: '@everyone' },
    { id: '7', name: 'Pilots' },
  ],
  channels: [
    { id: '1', name: 'general' },
    { id: '2', name: 'kitchen' },
  ],
};

const role = (id: string, allow: boolean): Grant => ({ type: 'ROLE', id, allow });
const user = (id: string, allow: boolean): Grant => ({ type: 'USER', id, allow });
const channel = (id: string, allow: boolean): Grant => ({ type: 'CHANNEL', id, allow });
const everywhere = allChannels(SERVER.id);

describe('the text for an effective permission list', () => {
  it.each<[grants: Grant[], text: string]>([
    [[], "Only the server's owner and administrators can run this."],
    [[channel('1', true)], "Only the server's owner and administrators can run this."],
    [[role('7', false), user('5', false)], "Only the server's owner and administrators can run this."],
    [[role('100', true)], '@everyone'],
    [[role('7', true), user('5', true)], 'Pilots, 1 member'],
    [[user('5', true), user('6', true)], '2 members'],
    [[role('100', true), role('7', false)], '@everyone; except Pilots'],
    [[role('100', true), channel('2', false)], '@everyone; not in #kitchen'],
    [[role('100', true), channel('1', true)], '@everyone'],
    [[role('100', true), channel('1', true), channel(everywhere, false)], '@everyone; allowed channels: #general'],
    [[role('100', true), channel(everywhere, false)], '@everyone; allowed channels: none'],
  ])('describes %j', (grants, text) => {
    expect(effectText(grants, SERVER)).toBe(text);
  });
});
