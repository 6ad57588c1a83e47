/** What a member may do or not by whose the guild is, whatever their roles are. */
export const MEMBER_OPERATIONS = ['leave', 'delete'] as const;

export type MemberOperation = (typeof MEMBER_OPERATIONS)[number];

/** Whether a member may do it: the owner of a guild cannot leave it, and nobody else can delete it. */
export function mayAsMember(operation: MemberOperation, { ownerId }: { ownerId: bigint }, userId: bigint): boolean {
  const isOwner = ownerId === userId;
  const may: Record<MemberOperation, boolean> = { leave: !isOwner, delete: isOwner };
  return may[operation];
}
