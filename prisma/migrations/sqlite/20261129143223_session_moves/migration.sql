-- CreateTable
CREATE TABLE "SessionMove" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "target" TEXT,
    "movedAt" DATETIME NOT NULL,
    "sessions" BLOB NOT NULL
);
