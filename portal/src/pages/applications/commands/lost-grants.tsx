import { Fragment, type ReactNode } from 'react';
import type { CommandPlanFragment } from '../../../gql/types.js';
import { Name } from '../../../ui/page.js';

/** Permission grants that are deleted with a command. */
export type LostGrants = Pick<CommandPlanFragment, 'grantsLost' | 'grantsLostIn' | 'grantsLostElsewhere'>;

/** @param lost null if unknown */
export function WhatIsLost({ lost }: { lost: LostGrants | null }) {
  if (lost === null) return 'All command permissions that servers have set will be removed.';
  const { grantsLost } = lost;
  if (grantsLost === 0) return 'No command permissions will be removed.';
  return (
    <>
      {grantsLost === 1
        ? '1 command permission will be removed, in '
        : `${grantsLost} command permissions will be removed, in `}
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
  if (more > 0) items.push(`${more} more of your servers`);
  if (grantsLostElsewhere > 0) items.push(unseenText(grantsLostElsewhere));
  return items.map((item, index) => (
    <Fragment key={index}>
      {separatorBefore(index, items.length)}
      {item}
    </Fragment>
  ));
}

function unseenText(count: number): string {
  return count === 1 ? "1 server that you can't see" : `${count} servers that you can't see`;
}

function separatorBefore(index: number, length: number): string {
  if (index === 0) return '';
  return index === length - 1 ? ' and ' : ', ';
}
