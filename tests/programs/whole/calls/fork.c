// SPDX-License-Identifier: Apache-2.0
// offload: f
// arguments: fork_after
// arguments: fork_child_only
// arguments: fork_thread
// arguments: longjmp
// arguments: atexit
// arguments: atexit_only
// arguments: _exit3
// arguments: quick_exit
// arguments: exec_self
// arguments: closefrom
// arguments: close012
// arguments: chdir
// arguments: binary
// arguments: thread_exit
// arguments: stack
// arguments: plain
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <fcntl.h>
#include <sys/resource.h>
__attribute__((noinline)) uint32_t f(const uint32_t *in, uint32_t *out, uint32_t n){ uint32_t s=0; for(uint32_t i=0;i<n;i++){ uint32_t x=in[i]*3+n; out[i]=x; s+=x; } return s; }
uint32_t a[64],b[64];
uint32_t go(void){ for(int i=0;i<64;i++)a[i]=i*5; return f(a,b,64); }
void ex(void){ printf("exit %u\n", go()); fflush(stdout); }
static jmp_buf jb; void segv(int s){ longjmp(jb,1); }
void *bg(void*p){ for(;;) f(a,b,64); return 0; }
int main(int c,char**v){ const char*k=v[1]; setvbuf(stdout,0,_IOLBF,0);
 if(!strcmp(k,"fork_before")){ pid_t p=fork(); printf("%u\n",go()); if(p)wait(0); return 0; }
 if(!strcmp(k,"fork_after")){ go(); fflush(stdout); pid_t p=fork(); uint32_t x=go(); if(p){ wait(0); printf("%u\n",x);} return 0; }
 if(!strcmp(k,"fork_child_only")){ pid_t p=fork(); if(!p){ printf("%u\n",go()); exit(0);} int st; wait(&st); printf("st %d\n",st); return 0; }
 if(!strcmp(k,"fork_thread")){ pthread_t t; pthread_create(&t,0,bg,0); usleep(20000); for(int i=0;i<30;i++){ pid_t p=fork(); if(!p){ alarm(5); go(); _exit(0);} int st; waitpid(p,&st,0); if(st) { printf("child st %d at %d\n",st,i); return 1; } } printf("ok\n"); return 0; }
 if(!strcmp(k,"atexit")){ atexit(ex); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"atexit_only")){ atexit(ex); return 0; }
 if(!strcmp(k,"_exit")){ printf("%u\n",go()); _exit(0); }
 if(!strcmp(k,"_exit3")){ printf("%u\n",go()); _exit(3); }
 if(!strcmp(k,"quick_exit")){ printf("%u\n",go()); quick_exit(0); }
 if(!strcmp(k,"exit70")){ printf("%u\n",go()); exit(70); }
 if(!strcmp(k,"abort")){ printf("%u\n",go()); abort(); }
 if(!strcmp(k,"crash")){ printf("%u\n",go()); *(volatile int*)0=1; }
 if(!strcmp(k,"exec")){ printf("%u\n",go()); execl("/bin/echo","echo","execed",(char*)0); }
 if(!strcmp(k,"exec_self")){ printf("%u\n",go()); if(c<3) execl("/proc/self/exe",v[0],"exec_self","x",(char*)0); return 0; }
 if(!strcmp(k,"longjmp")){ signal(SIGSEGV,segv); if(!setjmp(jb)) f((void*)8,b,64); else printf("jumped\n"); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"daemon")){ go(); if(daemon(1,1)) return 1; usleep(300000); uint32_t x=go(); FILE*o=fopen("daemon.out","w"); fprintf(o,"%u\n",x); fclose(o); return 0; }
 if(!strcmp(k,"binary")){ unsigned char q[256]; for(int i=0;i<256;i++)q[i]=i; go(); fwrite(q,1,256,stdout); return 0; }
 if(!strcmp(k,"close012")){ close(0);close(1);close(2); uint32_t x=go(); FILE*o=fopen("c.out","w"); fprintf(o,"%u\n",x); fclose(o); write(1,"hello\n",6); write(2,"err\n",4); x=go(); o=fopen("c.out","a"); fprintf(o,"%u\n",x); fclose(o); return 0; }
 if(!strcmp(k,"closefrom")){ go(); for(int i=3;i<1000;i++) close(i); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"close_dup")){ close(1); uint32_t x=go(); int fd=open("d.out",O_WRONLY|O_CREAT|O_TRUNC,0644); dup2(fd,1); lseek(1,0,0); ftruncate(0,0); printf("%u %u\n",x,go()); return 0; }
 if(!strcmp(k,"chdir")){ chdir("/"); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"env")){ setenv("TANDEM_MODE","bogus",1); setenv("TANDEM_PLATFORM","/nope",1); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"clearenv")){ clearenv(); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"rlimit")){ struct rlimit r={3,3}; setrlimit(RLIMIT_NOFILE,&r); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"rlimas")){ struct rlimit r={1<<20,1<<20}; setrlimit(RLIMIT_AS,&r); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"chroot")){ if(chroot("out.txt")) perror("chroot"); chdir("/"); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"setuid")){ if(setuid(65534)) perror("setuid"); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"stack")){ struct rlimit r={65536,65536}; setrlimit(RLIMIT_STACK,&r); printf("%u\n",go()); return 0; }
 if(!strcmp(k,"ret3")){ printf("%u\n",go()); return 3; }
 if(!strcmp(k,"nocall")){ return 0; }
 if(!strcmp(k,"kill")){ go(); raise(SIGKILL); }
 if(!strcmp(k,"sig64")){ go(); raise(40); }
 if(!strcmp(k,"pthread_exit")){ printf("%u\n",go()); pthread_exit(0); }
 if(!strcmp(k,"thread_exit")){ pthread_t t; pthread_create(&t,0,bg,0); usleep(30000); return 0; }
 printf("%u args\n",go()); return 0; }
