-- AlterTable
ALTER TABLE "OAuthGrant" ADD COLUMN "endsAt" DATETIME;

-- CreateIndex
CREATE INDEX "OAuthGrant_endsAt_idx" ON "OAuthGrant"("endsAt");

-- What grants have that were made before.
UPDATE "OAuthGrant" SET "endsAt" = (
    SELECT MAX("expiresAt") FROM (
        SELECT "expiresAt" FROM "OAuthToken" WHERE "grantId" = "OAuthGrant"."id"
        UNION ALL
        SELECT "expiresAt" FROM "AuthorizationCode" WHERE "grantId" = "OAuthGrant"."id"
    ) AS "parts"
);
