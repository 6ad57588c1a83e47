import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sandbox } from '@causeway-preview/causeway/testing';
import { startBot } from '../src/bot.js';

const { world } = await sandbox({ seed: 'world.yaml' });
const bot = await startBot({ token: world.bot.token, api: world.api });
after(() => bot.destroy());

test('people join a lunch with a button', async () => {
  const answer = await world.person('ada').in('kitchen').slash('lunch', { dish: 'Onion tart' });
  assert.equal(answer.content, 'Onion tart: ada');

  const updated = await answer.button('Me too').clickedBy('grace');
  assert.equal(updated.content, 'Onion tart: ada, grace');
});
