#ifndef AGENT_UTF8_H
#define AGENT_UTF8_H

/* Replaces every byte that is not part of well-formed UTF-8 (RFC 3629) by '?'. */
void utf8_repair(char *text);

#endif
