import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { GuildLogDocument } from '../../gql/audit/audit.js';
import { GuildChangedDocument } from '../../gql/servers/layout.js';
import type { ChannelRowFragment, GuildLogQuery } from '../../gql/types.js';
import { useTitle } from '../../ui/page.js';
import { isMessageChannel } from '../servers/channels-of.js';
import { useLack, useServer } from '../servers/server.js';
import type { Language } from './language.js';
import { AuditLog } from './log.js';
import { serverVerbs } from './server-verbs.js';
import { SERVER_GROUPS, SERVER_WORDS } from './server-words.js';
import { type LogSource, toldBy } from './use-log.js';

const SOURCE: LogSource<GuildLogQuery> = {
  document: GuildLogDocument,
  pageIn: ({ guild }) => guild?.auditLog,
  useTold: toldBy(GuildChangedDocument),
};

const NOBODY = [] as const;

export function ServerLog() {
  const { id, name } = useServer();
  const search = useSearch({ from: '/frame/servers/$guildId/audit' });
  const navigate = useNavigate();
  const language = useLanguage();
  const lack = useLack('ViewAuditLog');
  useTitle('Audit log', name);
  if (lack)
    return (
      <section className="card">
        <h2>Audit log</h2>
        <p className="hint">{lack}</p>
      </section>
    );
  return (
    <AuditLog
      source={SOURCE}
      id={id}
      language={language}
      people={NOBODY}
      search={search}
      onSearch={(next) => void navigate({ to: '.', search: next })}
    />
  );
}

/** Shows the id of channels that are deleted or hidden from the user. */
function useLanguage(): Language {
  const { channels } = useServer();
  return useMemo(() => {
    const nameOf = (channel: ChannelRowFragment) => (isMessageChannel(channel) ? `#${channel.name}` : channel.name);
    const names = new Map(channels.map((channel) => [channel.id, nameOf(channel)]));
    const verbs = serverVerbs((id) => names.get(id) ?? id);
    return { verbs, words: SERVER_WORDS, groups: SERVER_GROUPS };
  }, [channels]);
}
