import { Fragment, type ReactNode } from 'react';
import type { OverwriteCommandsMutation } from '../../gql/types.js';
import { Name } from '../../ui/page.js';

type PlanEntry = OverwriteCommandsMutation['overwriteCommands']['plan'][number];

/** Permission grants that are deleted with a command. */
export type LostGrants = Pick<PlanEntry, 'grantsLost' | 'grantsLostIn' | 'grantsLostElsewhere'>;

/** @param lost null if unknown */
export function WhatIsLost({ lost }: { lost: LostGrants | null }) {
  if (lost === null) return 'Permissions that servers granted of it go with it.';
  const { grantsLost } = lost;
  if (grantsLost === 0) return 'No server granted a permission of it, so none goes with it.';
  return (
    <>
      {grantsLost === 1
        ? 'One permission that a server granted of it goes with it, in '
        : `${grantsLost} permissions that servers granted of it go with it, in `}
      <LosingServers {...lost} />.
    </>
  );
}

const MOST_NAMED = 5;

/** Names the servers that the user can see and counts the others. */
export function LosingServers({ grantsLostIn, grantsLostElsewhere }: Omit<LostGrants, 'grantsLost'>) {
  const named = grantsLostIn.slice(0, MOST_NAMED);
  const more = grantsLostIn.length - named.length;
  const items: ReactNode[] = named.map(({ name }) => <Name>{name}</Name>);
  if (more > 0) items.push(more === 1 ? 'one more server of yours' : `${more} more servers of yours`);
  if (grantsLostElsewhere > 0) items.push(unseenText(grantsLostElsewhere));
  return items.map((item, index) => (
    <Fragment key={index}>
      {separatorBefore(index, items.length)}
      {item}
    </Fragment>
  ));
}

function unseenText(count: number): string {
  return count === 1 ? 'one server that you do not see' : `${count} servers that you do not see`;
}

function separatorBefore(index: number, length: number): string {
  if (index === 0) return '';
  return index === length - 1 ? ' and ' : ', ';
}
