import { describe, expect, test } from 'vitest';
import type { MessageInteraction } from '../../src/domain/messages/index.js';
import type { MessageRecord } from '../../src/domain/messages/record.js';
import type { User } from '../../src/infra/database/index.js';
import { snowflakeAt } from '../../src/infra/ids/ids.js';
import { redactMessage, renderMessage } from '../../src/wire/messages.js';
import { wireTime } from '../../src/wire/time.js';
import { renderUser } from '../../src/wire/users.js';
import { PLAIN_MESSAGE } from '../harness/guild-home.js';
import { expectReference } from '../harness/reference.js';

const options = { publicUrl: 'https://chat.example', signatures: { sign: (path: string) => `hm=${path.length}` } };
const SENT_AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

const user = (facts: Partial<User> = {}): User => ({
  id: 20_000_000_000_000_000n,
  username: 'ada',
  handle: 'ada',
  globalName: 'Ada',
  avatarHash: null,
  bot: false,
  deletedAt: null,
  ...facts,
});

const message = (facts: Partial<MessageRecord> = {}): MessageRecord => ({
  id: snowflakeAt(SENT_AT),
  channelId: 30_000_000_000_000_000n,
  guildId: 40_000_000_000_000_000n,
  authorId: user().id,
  author: user(),
  ...PLAIN_MESSAGE,
  enforcedNonceKey: 'secret key',
  ...facts,
});

const attachment = (facts = {}) => ({
  id: 5n,
  messageId: 1n,
  filename: 'cat_ä.png',
  title: null,
  description: null,
  isSpoiler: false,
  contentType: 'image/png',
  size: 7,
  width: 3,
  height: 2,
  ...facts,
});

describe('a message', () => {
  test('has the reference shape and the time of its id, without internal fields', () => {
    const rendered = renderMessage(message(), options);
    expectReference('MessageResponse', rendered);
    expect(rendered.timestamp).toBe('2026-01-02T03:04:05.006000+00:00');
    expect(JSON.stringify(rendered)).not.toContain('secret key');
  });

  test('has `mention_everyone` as stored', () => {
    expect(renderMessage(message({ mentionEveryone: true }), options).mention_everyone).toBe(true);
    expect(renderMessage(message({ mentionEveryone: false }), options).mention_everyone).toBe(false);
  });

  test('omits absent fields', () => {
    const rendered = renderMessage(message(), options);
    for (const name of ['nonce', 'reactions', 'message_reference', 'referenced_message']) {
      expect(rendered).not.toHaveProperty(name);
    }
  });

  test('that is a reply includes its target one level deep, or null if that is deleted', () => {
    const first = message({ content: 'first' });
    const second = message({ content: 'second', referenceId: first.id, referenced: first });
    const third = renderMessage(message({ type: 19, referenceId: second.id, referenced: second }), options);
    expectReference('MessageResponse', third);
    expect(third.message_reference).toEqual({
      type: 0,
      message_id: String(second.id),
      channel_id: '30000000000000000',
      guild_id: '40000000000000000',
    });
    expect(third.referenced_message).toMatchObject({ content: 'second' });
    expect(third.referenced_message).not.toHaveProperty('referenced_message');
    expect(renderMessage(message({ referenceId: 1n, referenced: null }), options).referenced_message).toBeNull();
  });

  test('in a direct channel has no guild_id', () => {
    const rendered = renderMessage(message({ guildId: null, referenceId: 1n, referenced: null }), options);
    expect(rendered.message_reference).not.toHaveProperty('guild_id');
  });

  test('has signed URLs for its files, also in embeds', () => {
    const embeds = [
      { type: 'rich', image: { url: 'attachment://cat_ä.png' }, thumbnail: { url: 'attachment://other.png' } },
      { type: 'rich', author: { name: 'x', icon_url: 'attachment://cat_ä.png' } },
    ];
    const rendered = renderMessage(message({ attachments: [attachment()], embeds }), options);
    const url = 'https://chat.example/cdn/attachments/30000000000000000/5/cat_%C3%A4.png?hm=41';
    expect(rendered.attachments).toEqual([
      expect.objectContaining({
        id: '5',
        url,
        proxy_url: url,
        width: 3,
        height: 2,
        content_type: 'image/png',
        size: 7,
      }),
    ]);
    expect(rendered.attachments[0]).not.toHaveProperty('description');
    const picture = { url, proxy_url: url, width: 3, height: 2, content_type: 'image/png' };
    expect(rendered.embeds).toEqual([
      { type: 'rich', image: picture },
      { type: 'rich', author: { name: 'x', icon_url: url, proxy_icon_url: url } },
    ]);
    expectReference('MessageResponse', rendered);
  });

  test('has its file URLs signed again in embeds that were sent back', () => {
    const { attachments } = message({ attachments: [attachment()] });
    const shown = renderMessage(
      message({
        attachments,
        embeds: [
          { image: { url: 'attachment://cat_ä.png' }, footer: { text: 'x', icon_url: 'attachment://cat_ä.png' } },
        ],
      }),
      options,
    );
    const later = { ...options, signatures: { sign: () => 'hm=later' } };
    const [embed] = renderMessage(message({ attachments, embeds: shown.embeds as object[] }), later).embeds;
    const url = 'https://chat.example/cdn/attachments/30000000000000000/5/cat_%C3%A4.png?hm=later';
    expect(embed).toMatchObject({ image: { url }, footer: { text: 'x', icon_url: url } });
    const elsewhere = 'https://chat.example/cdn/attachments/30000000000000000/6/cat_%C3%A4.png?hm=41';
    const other = message({ attachments, embeds: [{ image: { url: elsewhere } }] });
    expect(renderMessage(other, later).embeds).toEqual([{ image: { url: elsewhere } }]);
  });

  test('without its content keeps author, channel and time', () => {
    const full = renderMessage(
      message({
        embeds: [{ title: 'x' }],
        components: [{ type: 1 }],
        attachments: [attachment()],
        referenceId: 1n,
        referenced: message({ content: 'target' }),
      }),
      options,
    );
    const { content, embeds, attachments, components, referenced_message, ...rest } = full;
    expect([content, embeds.length, attachments.length, components?.length]).toEqual(['hello', 1, 1, 1]);
    expect(referenced_message?.content).toBe('target');
    expect(redactMessage(full)).toEqual({
      ...rest,
      content: '',
      embeds: [],
      attachments: [],
      components: [],
      referenced_message: { ...referenced_message, content: '' },
    });
  });
});

describe('a message in response to an interaction', () => {
  const ada = user();
  const bob = user({ id: 21_000_000_000_000_000n, username: 'bob' });
  const command: MessageInteraction = {
    id: '50000000000000000',
    type: 2,
    name: 'greet',
    userId: String(ada.id),
    owners: { guildId: '40000000000000000' },
  };
  const component: MessageInteraction = { ...command, type: 3, name: 'press', interactedMessageId: '6' };
  const modal: MessageInteraction = { ...command, type: 5, name: 'form', triggering: component };
  const answerTo = (interaction: MessageInteraction, facts: Partial<MessageRecord> = {}) => {
    const users = { interaction, interactionUsers: [ada, bob] };
    const rendered = renderMessage(message({ type: 20, applicationId: 9n, ...users, ...facts }), options);
    expectReference('MessageResponse', rendered);
    return rendered;
  };
  const common = {
    id: command.id,
    user: renderUser(ada),
    authorizing_integration_owners: { 0: '40000000000000000' },
  };

  test('has the user and the kind of its interaction', () => {
    expect(answerTo(command)).toMatchObject({
      application_id: '9',
      webhook_id: '9',
      interaction_metadata: { ...common, type: 2 },
      interaction: { id: command.id, type: 2, name: 'greet', user: renderUser(ada) },
    });
  });

  test.each<[string, MessageInteraction, object]>([
    ['a command', command, { ...common, type: 2 }],
    [
      'a command of a user who installed it',
      { ...command, owners: { userId: '7' } },
      { ...common, type: 2, authorizing_integration_owners: { 1: '7' } },
    ],
    [
      'a command on a person',
      { ...command, targetUserId: String(bob.id) },
      { ...common, type: 2, target_user: renderUser(bob) },
    ],
    ['a command on a message', { ...command, targetMessageId: '8' }, { ...common, type: 2, target_message_id: '8' }],
    ['a component', component, { ...common, type: 3, interacted_message_id: '6' }],
    [
      'a modal',
      modal,
      {
        ...common,
        type: 5,
        triggering_interaction_metadata: { ...common, type: 3, interacted_message_id: '6' },
      },
    ],
  ])('has metadata of %s', (_, interaction, metadata) => {
    expect(answerTo(interaction).interaction_metadata).toEqual(metadata);
  });

  test('that is a follow-up names the original response, and has only the newer form', () => {
    const follow = answerTo({ ...command, originalMessageId: '10' });
    expect(follow.interaction_metadata).toMatchObject({ original_response_message_id: '10' });
    expect(follow).not.toHaveProperty('interaction');
  });

  test.each([component, modal])('has the older form for a command only, not for type $type', (interaction) => {
    expect(answerTo(interaction)).not.toHaveProperty('interaction');
  });

  test('that is ephemeral has ephemeral files', () => {
    expect(answerTo(command, { attachments: [attachment()], visibleToId: 7n }).attachments).toMatchObject([
      { ephemeral: true },
    ]);
    expect(answerTo(command, { attachments: [attachment()] }).attachments[0]).not.toHaveProperty('ephemeral');
  });

  test('keeps its interaction in its redacted form', () => {
    expect(redactMessage(answerTo(command))).toMatchObject({ content: '', interaction_metadata: { type: 2 } });
  });

  test('has no such fields without an interaction', () => {
    for (const name of ['application_id', 'webhook_id', 'interaction_metadata', 'interaction']) {
      expect(renderMessage(message(), options)).not.toHaveProperty(name);
    }
  });
});

describe('the components of a message', () => {
  const url = 'https://chat.example/cdn/attachments/30000000000000000/5/cat_%C3%A4.png?hm=41';
  const shown = { id: '5', url, proxy_url: url, attachment_id: '5', width: 3, height: 2, content_type: 'image/png' };
  const rendered = (...components: object[]) =>
    renderMessage(message({ attachments: [attachment()], components: JSON.parse(JSON.stringify(components)) }), options)
      .components;

  test('have signed URLs of files, wherever they show one, with the facts of the files', () => {
    const media = { url: 'attachment://cat_ä.png' };
    const gallery = { type: 12, items: [{ media, description: null, spoiler: false }] };
    expect(rendered({ type: 17, components: [gallery] }, { type: 9, accessory: { type: 11, media } })).toEqual([
      { type: 17, components: [{ type: 12, items: [{ media: shown, description: null, spoiler: false }] }] },
      { type: 9, accessory: { type: 11, media: shown } },
    ]);
    expect(rendered({ type: 13, file: media })).toEqual([{ type: 13, file: shown, name: 'cat_ä.png', size: 7 }]);
  });

  test('have URLs signed again if they were sent back', () => {
    expect(rendered({ type: 12, items: [{ media: { url: url.replace('hm=41', 'hm=old') } }] })).toEqual([
      { type: 12, items: [{ media: shown }] },
    ]);
  });

  test('keep external URLs', () => {
    const elsewhere = 'https://a.example/x.png';
    expect(rendered({ type: 12, items: [{ media: { url: elsewhere } }] })).toEqual([
      { type: 12, items: [{ media: { id: String(message().id), url: elsewhere, proxy_url: elsewhere } }] },
    ]);
  });

  test.each([[null], ['x'], [{}], [[{ type: 12, items: 'x' }]], [[{ media: 5 }]]])(
    'are rendered even if they are malformed: %j',
    (stored) => {
      expect(() => renderMessage(message({ components: stored }), options)).not.toThrow();
    },
  );
});

describe('a user', () => {
  test('has the reference shape', () => {
    expectReference('UserResponse', renderUser(user()));
    expect(renderUser(user())).not.toHaveProperty('bot');
    expect(renderUser(user({ bot: true }))).toMatchObject({ bot: true, global_name: null });
  });

  test('that is deleted has a generic name', () => {
    expect(renderUser(user({ deletedAt: new Date() })).username).toBe('Deleted User');
  });
});

test('wireTime is ISO 8601 with microseconds and an offset', () => {
  expect(wireTime(0)).toBe('1970-01-01T00:00:00.000000+00:00');
  expect(wireTime(new Date(SENT_AT))).toBe('2026-01-02T03:04:05.006000+00:00');
});
