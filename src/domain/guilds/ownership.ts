export const MEMBER_OPERATIONS = ['leave', 'delete'] as const;

export type MemberOperation = (typeof MEMBER_OPERATIONS)[number];

export function mayAsMember(operation: MemberOperation, { ownerId }: { ownerId: bigint }, userId: bigint): boolean {
  const isOwner = ownerId === userId;
  const may: Record<MemberOperation, boolean> = { leave: !isOwner, delete: isOwner };
  return may[operation];
}
