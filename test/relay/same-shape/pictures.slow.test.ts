import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateApplication } from '../../../src/domain/applications/index.js';
import { createEmoji } from '../../../src/domain/emojis/index.js';
import { updateGuild } from '../../../src/domain/guilds/index.js';
import { updateOwnUser } from '../../../src/domain/users/index.js';
import { PIXEL } from '../../harness/images.js';
import { RestBot } from '../../harness/rest.js';
import { openTwins, type Twins } from '../../harness/twins.js';
import { callOf } from '../../harness/world.js';

describe('images across cloud and box', () => {
  let twins: Twins;
  let bot: RestBot;
  beforeAll(async () => {
    twins = await openTwins();
    bot = new RestBot(twins.all.cloud, twins.bots.bot);
  }, 120_000);
  afterAll(() => twins.stop());

  const typeOf = async (url: string) => {
    const response = await fetch(url);
    return response.status === 200 ? response.headers.get('content-type') : response.status;
  };

  it('avatars, server icons and emojis of a box are at the CDN of the cloud, by the hashes that bots get', async () => {
    const { home, guild, people } = twins.box;
    const owner = callOf(home.app, people.owner);
    await updateOwnUser(owner, { avatar: PIXEL });
    await updateGuild(owner, { guildId: guild.id, icon: PIXEL });
    const { emoji } = await createEmoji(owner, { guildId: guild.id, name: 'dot', image: async () => PIXEL });
    const { avatar } = (await bot.get(`/guilds/${guild.id}/members/${people.owner.id}`)).body.user;
    const { icon } = (await bot.get(`/guilds/${guild.id}`)).body;
    const paths = [
      `avatars/${people.owner.id}/${avatar}.png`,
      `icons/${guild.id}/${icon}.webp?size=16`,
      `emojis/${emoji.id}.png`,
    ];
    const types = await Promise.all(paths.map((path) => typeOf(`${twins.all.cloud.origin}/cdn/${path}`)));
    expect(types).toEqual(['image/png', 'image/webp', 'image/png']);
  });

  it('the current avatar of a cloud bot is shown to users of a box', async () => {
    const applicationId = twins.bots.bot.id;
    await updateApplication(callOf(twins.all.cloud.app, twins.bots.bot.owner), { applicationId, icon: PIXEL });
    const { body } = await bot.post(`/channels/${twins.box.names.get('text')}/messages`, { content: 'hi' });
    const { avatarHash } = await twins.box.home.app.db.reader.user.findUniqueOrThrow({ where: { id: applicationId } });
    expect(body.author.avatar).toBe(avatarHash);
    expect(await typeOf(`${twins.box.home.origin}/cdn/avatars/${applicationId}/${avatarHash}.png?size=64`)).toBe(
      'image/png',
    );
  });
});
