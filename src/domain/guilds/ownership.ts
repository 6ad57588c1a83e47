export const MEMBER_OPERATIONS = ['leave', 'delete'] as const;

export type MemberOperation = (typeof MEMBER_OPERATIONS)[number];

/** The owner cannot leave the guild, and only the owner can delete it. */
export function mayAsMember(operation: MemberOperation, { ownerId }: { ownerId: bigint }, userId: bigint): boolean {
  const isOwner = ownerId === userId;
  const may: Record<MemberOperation, boolean> = { leave: !isOwner, delete: isOwner };
  return may[operation];
}
