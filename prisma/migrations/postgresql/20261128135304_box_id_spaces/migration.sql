-- CreateTable
CREATE TABLE "BoxIdSpace" (
    "number" INTEGER NOT NULL,
    "ownerId" BIGINT NOT NULL,

    CONSTRAINT "BoxIdSpace_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "BoxIdSpace_ownerId_idx" ON "BoxIdSpace"("ownerId");

-- The numbers that boxes have.
INSERT INTO "BoxIdSpace" ("number", "ownerId") SELECT "idSpace", "ownerId" FROM "Box" WHERE "idSpace" IS NOT NULL;
