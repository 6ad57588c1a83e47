-- AlterTable
ALTER TABLE "Attachment" ADD COLUMN "accountId" BIGINT;

-- AlterTable
ALTER TABLE "InteractionFile" ADD COLUMN "accountId" BIGINT;

-- CreateIndex
CREATE INDEX "InteractionFile_accountId_size_idx" ON "InteractionFile"("accountId", "size");

-- CreateIndex
CREATE INDEX "Attachment_accountId_size_idx" ON "Attachment"("accountId", "size");

-- Files of people count as theirs, and those of bots and webhooks as those of whoever owns the application.
UPDATE "Attachment" SET "accountId" = (
  SELECT COALESCE(a."ownerUserId", t."ownerUserId", m."authorId")
  FROM "Message" m
    LEFT JOIN "Application" a ON a."id" = m."authorId"
    LEFT JOIN "Team" t ON t."id" = a."ownerTeamId"
  WHERE m."id" = "Attachment"."messageId"
);

UPDATE "InteractionFile" SET "accountId" = (SELECT i."userId" FROM "Interaction" i WHERE i."id" = "InteractionFile"."interactionId");
