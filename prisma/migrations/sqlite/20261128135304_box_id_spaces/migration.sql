-- CreateTable
CREATE TABLE "BoxIdSpace" (
    "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "ownerId" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "BoxIdSpace_ownerId_idx" ON "BoxIdSpace"("ownerId");

-- The numbers that boxes have.
INSERT INTO "BoxIdSpace" ("number", "ownerId") SELECT "idSpace", "ownerId" FROM "Box" WHERE "idSpace" IS NOT NULL;

-- Nobody knows the numbers of boxes that were deleted before. New ones begin after as many as boxes were ever enrolled.
INSERT INTO "BoxIdSpace" ("number", "ownerId")
SELECT "enrolled"."last", 0
FROM (SELECT 4095 + COUNT(DISTINCT "targetId") AS "last" FROM "AuditEntry" WHERE "action" = 'BOX_ENROL') AS "enrolled"
WHERE "enrolled"."last" > COALESCE((SELECT MAX("idSpace") FROM "Box"), 4095) AND "enrolled"."last" <= 16383;
