import { Fragment, type ReactNode } from 'react';
import type { LogEntryFragment } from '../../gql/types.js';
import { Name } from '../../ui/page.js';
import { nameOf } from '../teams/person.js';
import { type Changes, changedIn, changesIn, changeWords, columnsOf, Value } from './changes.js';
import type { Language, Told } from './language.js';

/** Unknown actions are shown by name. */
export function Sentence({ entry, language }: { entry: LogEntryFragment; language: Language }) {
  const { verbs, withoutActor = 'Someone' } = language;
  const { action, actor, target, changes } = entry;
  const isOwn = actor !== null && actor.id === target;
  const told = { target: <Target entry={entry} />, targetId: target, changes: changesIn(changes), isOwn };
  const verb = Object.hasOwn(verbs, action) ? verbs[action] : undefined;
  return (
    <>
      {actor ? <Name>{nameOf(actor)}</Name> : withoutActor}{' '}
      {verb ? (
        verb(told)
      ) : (
        <>
          performed {action} on {told.target}
        </>
      )}
    </>
  );
}

function Target({ entry: { targetUser, targetName, target } }: { entry: LogEntryFragment }) {
  const name = targetUser ? nameOf(targetUser) : targetName;
  return name === null ? <code>{target}</code> : <Name>{name}</Name>;
}

/** Uses a generic text if the entry has no details. */
export function changesOf(changes: Changes): ReactNode {
  const done = columnsOf(changes).flatMap((column) => {
    const changed = changedIn(changes, column);
    return changed ? [{ column, words: changeWords(column, changed) }] : [];
  });
  const [first] = done;
  if (done.length < 2) return first ? first.words : 'changed the settings';
  return (
    <>
      {done.map(({ column, words }, n) => (
        <Fragment key={column}>
          {n > 0 && (n === done.length - 1 ? ' and ' : ', ')}
          {words}
        </Fragment>
      ))}
    </>
  );
}

/** For example “renamed the emoji A to B”. */
export function renamed(what: string, { changes, target }: Told): ReactNode {
  const name = changedIn(changes, 'name');
  if (!name)
    return (
      <>
        changed the {what} {target}
      </>
    );
  return (
    <>
      renamed the {what} <Value of={name.old} /> to <Value of={name.new} />
    </>
  );
}
