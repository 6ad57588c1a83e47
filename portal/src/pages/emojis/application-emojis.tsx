import { useState } from 'react';
import {
  ApplicationEmojisChangedDocument,
  ApplicationEmojisDocument,
  CreateApplicationEmojiDocument,
  DeleteApplicationEmojiDocument,
  UpdateApplicationEmojiDocument,
} from '../../gql/emojis/emojis.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { useAction } from '../../ui/action.js';
import { Awaited, More } from '../../ui/listing.js';
import { useTitle } from '../../ui/page.js';
import { useApplication } from '../applications/application.js';
import { useReason } from '../applications/reasons.js';
import { NewEmoji } from './dialogs.js';
import { type EmojiHome, EmojiHomeContext } from './home.js';
import { EmojiRows } from './rows.js';

export function ApplicationEmojis() {
  const { name } = useApplication();
  useTitle('Emojis', name);
  const lack = useReason('MANAGE_EMOJIS');
  const [isNew, setNew] = useState(false);
  return (
    <EmojiHomeContext value={useApplicationHome()}>
      <section className="card" aria-labelledby="emojis">
        <div className="heading">
          <h2 id="emojis">Emojis</h2>
          <button type="button" disabled={lack !== undefined} onClick={() => setNew(true)}>
            New emoji
          </button>
        </div>
        {lack !== undefined && <p className="hint">{lack}</p>}
        <Page after={null} />
        {isNew && <NewEmoji onClose={() => setNew(false)} />}
      </section>
    </EmojiHomeContext>
  );
}

function Page({ after }: { after: string | null }) {
  const { id } = useApplication();
  const variables = { id, after };
  const answer = useQuery({ query: ApplicationEmojisDocument, variables });
  useLive(ApplicationEmojisChangedDocument, variables);
  const page = answer.data?.application?.emojis;
  if (!page) return <Awaited answer={answer} />;
  return (
    <>
      {page.edges.length === 0 && after === null && (
        <p className="hint">
          No emojis yet. Create emojis that your bot can use in messages and reactions in any server.
        </p>
      )}
      <EmojiRows emojis={page.edges.map(({ node }) => node)} />
      {page.pageInfo.hasNextPage && (
        <More>
          <Page after={page.pageInfo.endCursor} />
        </More>
      )}
    </>
  );
}

function useApplicationHome(): EmojiHome {
  const { id: applicationId } = useApplication();
  return {
    useCreate() {
      const { run, ...rest } = useAction(CreateApplicationEmojiDocument, { isQuiet: true });
      return {
        ...rest,
        run: async ({ name, image }) => (await run({ input: { applicationId, name, image } })) !== undefined,
      };
    },
    useUpdate(emojiId) {
      const { run, ...rest } = useAction(UpdateApplicationEmojiDocument, { isQuiet: true });
      return {
        ...rest,
        run: async ({ name = '' }) => (await run({ input: { applicationId, emojiId, name } })) !== undefined,
      };
    },
    useDelete() {
      const { run, ...rest } = useAction(DeleteApplicationEmojiDocument, { isQuiet: true });
      return { ...rest, run: async (emojiId) => (await run({ input: { applicationId, emojiId } })) !== undefined };
    },
  };
}
