/*
 * Sends the files that the run made or changed. Runs when no process of the program is left, over a tree that a hostile
 * program shaped: everything is opened relative to a directory already held and never through a link, only regular
 * files are opened at all, and depth, entries, path length, files and bytes are bounded.
 */
#ifndef AGENT_ARTIFACTS_H
#define AGENT_ARTIFACTS_H

#include "request.h"
#include "workspace.h"

void artifacts_send(const struct workspace *workspace, const struct request *request);

#endif
