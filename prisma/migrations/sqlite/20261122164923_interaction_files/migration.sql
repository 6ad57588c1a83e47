-- CreateTable
CREATE TABLE "InteractionFile" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "interactionId" BIGINT NOT NULL,
    "filename" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    CONSTRAINT "InteractionFile_interactionId_fkey" FOREIGN KEY ("interactionId") REFERENCES "Interaction" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "InteractionFile_interactionId_idx" ON "InteractionFile"("interactionId");
