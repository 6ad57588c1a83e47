import { type ReactNode, useState } from 'react';
import { Danger } from '../../ui/action.js';
import { GuardedButton } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import type { Problem } from '../../ui/problems.js';
import { type Secret, SecretsDialog } from '../../ui/secrets.js';
import { Ago } from '../../ui/times.js';
import { useApplication } from './application.js';

/** Metadata of a secret that can no longer be shown. */
interface KnownSecret {
  hint: string | null;
  createdAt: string | null;
  createdBy: { username: string } | null;
  lastUsedAt: string | null;
}

interface SecretRowProps {
  /** For example “Bot token”. */
  label: string;
  known: KnownSecret;
  resetText: string;
  /** Why the user may not reset it; undefined if they may. */
  reason: string | undefined;
  children: ReactNode;
  /** @returns undefined if refused */
  reset: () => Promise<string | undefined>;
  isBusy: boolean;
  problem: Problem | null;
}

export function SecretRow({ label, known, resetText, reason, children, reset, isBusy, problem }: SecretRowProps) {
  const { name } = useApplication();
  const [isAsking, setAsking] = useState(false);
  // A problem is shown only in the dialog in which it occurred.
  const [isTried, setTried] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const open = () => {
    setTried(false);
    setAsking(true);
  };
  const onDo = async () => {
    setTried(true);
    const value = await reset();
    if (value === undefined) return;
    setAsking(false);
    setSecret({ label, variable: label.toUpperCase().replace(' ', '_'), value });
  };
  return (
    <div className="row">
      <KnownFacts label={label} known={known} />
      <GuardedButton className="plain bad" reason={reason} onClick={open}>
        {resetText}
      </GuardedButton>
      {isAsking && (
        <Danger
          title={`${resetText} for ${name}?`}
          doIt={resetText}
          onDo={onDo}
          onClose={() => setAsking(false)}
          isBusy={isBusy}
          problem={isTried ? problem : null}
        >
          {children}
        </Danger>
      )}
      {secret && (
        <SecretsDialog title={`Your new ${label.toLowerCase()}`} secrets={[secret]} onDone={() => setSecret(null)} />
      )}
    </div>
  );
}

function KnownFacts({
  label,
  known: { hint, createdAt, createdBy, lastUsedAt },
}: Pick<SecretRowProps, 'label' | 'known'>) {
  return (
    <div>
      <span className="label">{label}</span>
      <p>{hint ? <code>{hint}</code> : <span className="soft">Not set</span>}</p>
      <p className="soft small">
        {createdAt ? (
          <>
            Created <Ago at={createdAt} />
            {createdBy && (
              <>
                {' '}
                by <Name>{createdBy.username}</Name>
              </>
            )}
          </>
        ) : (
          'Creation date unknown'
        )}
        {', '}
        {lastUsedAt ? (
          <>
            last used <Ago at={lastUsedAt} />.
          </>
        ) : (
          'not used yet.'
        )}
      </p>
    </div>
  );
}
