import { describe, expect, test } from 'vitest';
import { messageContent, type NewMessage, requireContent } from '../../../../src/domain/messages/content/body.js';
import { messageEmbeds } from '../../../../src/domain/messages/content/embeds.js';

describe('a message body', () => {
  test('compiles only from parsed parts', () => {
    // @ts-expect-error text that nobody measured
    const text: NewMessage = { content: 'x' };
    // @ts-expect-error embeds that nobody counted
    const embeds: NewMessage = { embeds: [{ type: 'rich', title: 'x' }] };
    const parsed: NewMessage = { content: messageContent.parse('x'), embeds: messageEmbeds.parse([{ title: 'x' }]) };
    expect(parsed).toMatchObject({ ...text, ...embeds });
  });
});

describe('a message needs', () => {
  test.each([
    ['text', { content: 'x' }, 0],
    ['an embed', { embeds: [{}] }, 0],
    ['a component', { components: [{}] }, 0],
    ['a file', {}, 1],
  ])('%s', (_, body, fileCount) => {
    expect(() => requireContent(body, fileCount)).not.toThrow();
  });

  test.each([[{}], [{ content: '' }], [{ content: null }], [{ content: '', embeds: [], components: [] }]])(
    'more than %j',
    (body) => {
      expect(() => requireContent(body, 0)).toThrow(expect.objectContaining({ code: 'EMPTY_MESSAGE' }));
    },
  );
});
