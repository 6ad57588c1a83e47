import { useState } from 'react';
import {
  CreateEmojiDocument,
  DeleteEmojiDocument,
  GuildEmojisChangedDocument,
  GuildEmojisDocument,
  UpdateEmojiDocument,
} from '../../gql/emojis/emojis.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { useAction } from '../../ui/action.js';
import { Awaited } from '../../ui/listing.js';
import { useTitle } from '../../ui/page.js';
import { useIsOnBox, useLack, useServer } from '../servers/server.js';
import { NewEmoji } from './dialogs.js';
import { type EmojiHome, EmojiHomeContext } from './home.js';
import { EmojiRows } from './rows.js';

const MOST = 50;

export function ServerEmojis() {
  const { id, name } = useServer();
  useTitle('Emojis', name);
  const answer = useQuery({ query: GuildEmojisDocument, variables: { id } });
  useLive(GuildEmojisChangedDocument, { id });
  const lack = useLack('CreateGuildExpressions');
  const isOnBox = useIsOnBox();
  const [isNew, setNew] = useState(false);
  const emojis = answer.data?.guild?.emojis;
  const moving = emojis?.filter(({ animated }) => animated).length ?? 0;
  return (
    <EmojiHomeContext value={useServerHome()}>
      <section className="card" aria-labelledby="emojis">
        <div className="heading">
          <h2 id="emojis">
            Emojis{' '}
            {emojis && !isOnBox && (
              <span className="soft small">
                {emojis.length - moving}/{MOST} static, {moving}/{MOST} animated
              </span>
            )}
          </h2>
          <button type="button" disabled={lack !== undefined} onClick={() => setNew(true)}>
            New emoji
          </button>
        </div>
        {lack !== undefined && <p className="hint">{lack}</p>}
        {emojis?.length === 0 && !isOnBox && (
          <p className="hint">No emojis yet. Create emojis that members can use in messages and reactions.</p>
        )}
        {emojis ? <EmojiRows emojis={emojis} isOnBox={isOnBox} /> : <Awaited answer={answer} />}
        {isNew && <NewEmoji onClose={() => setNew(false)} />}
      </section>
    </EmojiHomeContext>
  );
}

function useServerHome(): EmojiHome {
  const { id: guildId, roles } = useServer();
  return {
    roles: roles.filter((role) => role.id !== guildId),
    whyNot:
      'Editing or deleting an emoji needs the permission “Manage emoji, stickers and sounds”. For emojis that you created, “Create emoji, stickers and sounds” is enough.',
    useCreate() {
      const { run, ...rest } = useAction(CreateEmojiDocument, { isQuiet: true });
      return { ...rest, run: async (fields) => (await run({ input: { guildId, ...fields } })) !== undefined };
    },
    useUpdate(emojiId) {
      const { run, ...rest } = useAction(UpdateEmojiDocument, { isQuiet: true });
      const changed = ({ name, roleIds }: { name?: string; roleIds?: string[] }) => ({ name, roleIds });
      return {
        ...rest,
        run: async (fields) => (await run({ input: { guildId, emojiId, ...changed(fields) } })) !== undefined,
      };
    },
    useDelete() {
      const { run, ...rest } = useAction(DeleteEmojiDocument, { isQuiet: true });
      return { ...rest, run: async (emojiId) => (await run({ input: { guildId, emojiId } })) !== undefined };
    },
  };
}
