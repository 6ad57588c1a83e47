import { useState } from 'react';
import { PersonalTokensDocument, RevokePersonalTokenDocument } from '../../gql/account/personal-tokens.js';
import type { PersonalTokenRowFragment } from '../../gql/types.js';
import { useQuery } from '../../query.js';
import { Danger, useAction } from '../../ui/action.js';
import { Listing } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';
import { useRowDialog } from '../../ui/row-dialog.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Ago } from '../../ui/times.js';
import { NewPersonalToken } from './new-personal-token.js';

export function PersonalTokens() {
  const answer = useQuery({ query: PersonalTokensDocument });
  const tokens = answer.data?.personalTokens;
  const [isNew, setNew] = useState(false);
  const { dialog, open, close } = useRowDialog<'revoke', PersonalTokenRowFragment>(tokens ?? []);
  return (
    <section className="card" aria-labelledby="personal-tokens">
      <div className="heading">
        <h2 id="personal-tokens">Personal tokens</h2>
        <button type="button" className="plain" onClick={() => setNew(true)}>
          New token
        </button>
      </div>
      <p className="soft">
        With a personal token, command-line tools and CI can manage your applications and run commands as you. They
        can't change your account or send messages.
      </p>
      <div ref={useRowFocus()}>
        <Listing
          answer={answer}
          items={tokens}
          shape="list"
          empty="No personal tokens yet."
          render={(token) => <Row key={token.id} token={token} onRevoke={() => open('revoke', token)} />}
        />
      </div>
      {isNew && <NewPersonalToken onClose={() => setNew(false)} />}
      {dialog && !dialog.isGone && <Revoke token={dialog.row} onClose={close} />}
    </section>
  );
}

function Row({ token, onRevoke }: { token: PersonalTokenRowFragment; onRevoke: () => void }) {
  const { name, tokenHint, forOperator, createdAt, lastUsedAt } = token;
  return (
    <li>
      <div>
        <b>
          <Name>{name}</Name>
        </b>{' '}
        {forOperator && <span className="badge">whole instance</span>}
        <p className="soft small">
          <code>{tokenHint}</code>, created <Ago at={createdAt} />,{' '}
          {lastUsedAt ? (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          ) : (
            'not used yet'
          )}
          , <Expiry {...token} />
        </p>
      </div>
      <button type="button" className="plain small" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </button>
    </li>
  );
}

function Expiry({ expiresAt }: Pick<PersonalTokenRowFragment, 'expiresAt'>) {
  if (expiresAt === null) return 'never expires';
  const isOver = Date.parse(expiresAt) <= Date.now();
  return (
    <>
      {isOver ? 'expired' : 'expires'} <Ago at={expiresAt} />
    </>
  );
}

function Revoke({ token: { id, name }, onClose }: { token: PersonalTokenRowFragment; onClose: () => void }) {
  const { run, isBusy, problem } = useAction(RevokePersonalTokenDocument, { isQuiet: true });
  const revoke = async () => {
    if (await run({ input: { personalTokenId: id } })) onClose();
  };
  return (
    <Danger
      title={`Revoke the token ${name}?`}
      doIt="Revoke token"
      onDo={() => void revoke()}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>Tools that use it are refused immediately. This can't be undone.</p>
    </Danger>
  );
}
