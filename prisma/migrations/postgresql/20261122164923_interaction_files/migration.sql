-- CreateTable
CREATE TABLE "InteractionFile" (
    "id" BIGINT NOT NULL,
    "interactionId" BIGINT NOT NULL,
    "filename" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "width" INTEGER,
    "height" INTEGER,

    CONSTRAINT "InteractionFile_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "InteractionFile_interactionId_idx" ON "InteractionFile"("interactionId");

-- AddForeignKey
ALTER TABLE "InteractionFile" ADD CONSTRAINT "InteractionFile_interactionId_fkey" FOREIGN KEY ("interactionId") REFERENCES "Interaction"("id") ON DELETE CASCADE ON UPDATE CASCADE;
